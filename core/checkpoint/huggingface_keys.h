// The keys of config.json, or of an object in it: read with their types, or at what transformers takes for absent ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/json.h"

namespace core::checkpoint::huggingface {

/// What to do about numbers that don't fit.
inline constexpr std::string_view kSaveAgain =
    "Save the model again with save_pretrained, which writes config.json beside the weights.";

class Keys {
 public:
  /// `where` begins every sentence: "/x/config.json", "/x/config.json: rope_scaling". The object outlives this.
  Keys(const Json& object, std::string where) : m_object(object), m_where(std::move(where)) {}

  const Json& object() const { return m_object; }
  const std::string& where() const { return m_where; }
  /// Null when absent.
  const Json* find(std::string_view key) const;
  /// Null also where the file says null.
  const Json* findSet(std::string_view key) const;

  /// Whole numbers from 1 to kLargestSize. Errors: Mismatch.
  std::int64_t size(std::string_view key) const;                         ///< also when absent
  std::int64_t size(std::string_view key, std::int64_t otherwise);       ///< absent: noted
  std::optional<std::int64_t> sizeWhereSet(std::string_view key) const;  ///< nothing when absent or null

  /// Numbers above 0. Errors: Mismatch.
  double positive(std::string_view key) const;              ///< also when absent
  double positive(std::string_view key, double otherwise);  ///< absent: noted

  /// Errors: Mismatch for anything but true and false.
  bool truth(std::string_view key, bool otherwise) const;
  /// Errors: Mismatch for anything but a text.
  std::string text(std::string_view key, std::string_view otherwise) const;

  /// Absent keys that matter, with what was taken for them: "rope_theta 10000".
  const std::vector<std::string>& defaults() const { return m_defaults; }
  void note(std::string_view key, std::string_view taken);

  /// Mismatch; `what` follows `where`.
  [[noreturn]] void mismatch(const std::string& what) const;
  /// Unsupported: `what` follows `where`, `advice` ends the sentence.
  [[noreturn]] void unsupported(const std::string& what, std::string_view advice) const;

 private:
  [[noreturn]] void mistyped(std::string_view key, const Json& value, std::string_view wanted) const;

  const Json& m_object;
  std::string m_where;
  std::vector<std::string> m_defaults;
};

}  // namespace core::checkpoint::huggingface
