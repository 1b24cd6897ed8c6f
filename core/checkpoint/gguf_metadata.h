// The keys and values of a GGUF file, read with their types.
// Source: ggml, docs/gguf.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core::checkpoint {

/// By their ids in the file.
enum class GgufValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, Text, List, U64, I64, F64 };
inline constexpr std::uint32_t kGgufValueTypes = 13;

/// "u32", "text".
std::string_view name(GgufValueType type);
/// Bytes of one value; 0 for Text and List, whose sizes differ.
std::size_t sizeOf(GgufValueType type);

/// A value where it lies in the header, checked: within it, of known types, bools 0 or 1, no list of lists.
struct GgufValue {
  GgufValueType type = GgufValueType::U8;  ///< of the elements, for a list
  bool isList = false;
  std::uint64_t count = 1;  ///< elements of a list
  std::size_t begin = 0;    ///< of its first element, or of its text
  std::size_t end = 0;
};

class GgufMetadata {
 public:
  using Values = std::map<std::string, GgufValue, std::less<>>;

  GgufMetadata() = default;
  /// `origin` begins sentences; the values lie in `header`.
  GgufMetadata(std::string origin, std::string header, Values values)
      : m_origin(std::move(origin)), m_header(std::move(header)), m_values(std::move(values)) {}

  const std::string& origin() const { return m_origin; }
  const Values& values() const { return m_values; }
  bool has(std::string_view key) const { return m_values.contains(key); }

  /// Nothing where the key is absent. Errors: Mismatch for a value of another type, which names the key and both types.
  std::optional<std::uint64_t> wholeNumber(std::string_view key) const;  ///< of any integer type, from 0
  std::optional<double> number(std::string_view key) const;              ///< of any type of numbers
  std::optional<bool> truth(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;

  /// Lists of up to `most` items. Errors: also TooLarge for longer ones.
  std::optional<std::vector<std::string_view>> texts(std::string_view key, std::uint64_t most) const;  ///< lie in this
  std::optional<std::vector<std::uint64_t>> wholeNumbers(std::string_view key, std::uint64_t most) const;  ///< or one
  std::optional<std::vector<float>> floats(std::string_view key, std::uint64_t most) const;                ///< f32

 private:
  const GgufValue* find(std::string_view key) const;
  [[noreturn]] void mistyped(std::string_view key, const GgufValue& value, std::string_view wanted) const;
  void requireAtMost(std::string_view key, const GgufValue& value, std::uint64_t most) const;
  std::uint64_t wholeNumberAt(std::string_view key, const GgufValue& value, std::size_t index) const;

  std::string m_origin;
  std::string m_header;
  Values m_values;
};

}  // namespace core::checkpoint
