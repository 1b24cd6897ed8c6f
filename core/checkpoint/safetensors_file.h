// One safetensors file: a length, a JSON header, and the tensors' bytes one after the other.
// Source: the format's README, huggingface/safetensors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/file.h"

namespace core::checkpoint {

/// Of the header's length, with which a file begins.
inline constexpr std::uint64_t kLengthBytes = 8;

/// Whether the first bytes (at least 10, where there are so many) look like safetensors: a length and then "{".
bool looksLikeSafetensors(std::string_view head);

class SafetensorsFile {
 public:
  struct Entry {
    std::string dtype;          ///< as the header writes it: "BF16"
    std::optional<DType> type;  ///< nothing for those that are not read (F8_E4M3, F4 ...)
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  ///< of its first byte in the file
    std::uint64_t end = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// Reads and checks the header, no tensor: the tensors cover the rest of the file exactly, without gap or overlap.
  /// Errors: Truncated ("expected N bytes, file has M"), Corrupt, TooLarge, Unsupported for a dtype whose size is
  /// unknown; Io.
  explicit SafetensorsFile(File file);

  const File& file() const { return m_file; }
  const Entries& entries() const { return m_entries; }

 private:
  File m_file;
  Entries m_entries;
};

}  // namespace core::checkpoint
