// Writes safetensors files as upstream does, and wrong ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace support {

struct SafetensorsEntry {
  std::string name;
  std::string dtype = "F32";
  std::vector<std::int64_t> shape;
  std::string bytes;
  std::optional<std::pair<std::int64_t, std::int64_t>> offsets;  ///< instead of the true ones
  std::string text;                                              ///< instead of the whole description, when not empty
};

class SafetensorsBuilder {
 public:
  /// An entry with everything right; change what should be wrong in the answer.
  SafetensorsEntry& add(const std::string& name, std::vector<std::int64_t> shape, const std::string& bytes,
                        const std::string& dtype = "F32");

  std::string metadata;                        ///< the value of "__metadata__", as JSON; empty: none
  std::optional<std::string> headerText;       ///< instead of the true header
  std::optional<std::uint64_t> claimedLength;  ///< of the header, instead of the true one
  std::string afterwards;                      ///< bytes behind the last tensor

  std::string header() const;
  std::string build() const;

 private:
  std::vector<SafetensorsEntry> m_entries;
};

/// A safetensors file with this header and these bytes behind it.
std::string safetensorsOf(const std::string& header, const std::string& bytes = "");

}  // namespace support
