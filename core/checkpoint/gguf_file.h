// One GGUF file: metadata, the list of tensors, and their bytes.
// Source: ggml, docs/gguf.md, versions 2 and 3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checkpoint/file.h"
#include "core/checkpoint/gguf_metadata.h"
#include "core/checkpoint/gguf_types.h"

namespace core::checkpoint {

inline constexpr std::string_view kGgufMagic = "GGUF";

class GgufFile {
 public:
  struct Entry {
    const GgufType* type = nullptr;   ///< never null
    std::vector<std::int64_t> shape;  ///< the last dimension is the fast one: the reverse of the file's order
    std::uint64_t begin = 0;          ///< of its first byte in the file
    std::uint64_t end = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// Reads and checks metadata and tensor list, no tensor: tensors lie within the file, aligned, none over another.
  /// Errors: Unsupported for another version, a big-endian file and an unknown tensor type; Truncated, Corrupt,
  /// TooLarge, with the item and its numbers; Io.
  explicit GgufFile(File file);

  const File& file() const { return m_file; }
  const GgufMetadata& metadata() const { return m_metadata; }
  GgufMetadata takeMetadata() { return std::move(m_metadata); }
  const Entries& entries() const { return m_entries; }
  std::uint64_t end() const { return m_end; }  ///< of the last tensor; a whole file has at most padding behind it

 private:
  File m_file;
  GgufMetadata m_metadata;
  Entries m_entries;
  std::uint64_t m_end = 0;
};

}  // namespace core::checkpoint
