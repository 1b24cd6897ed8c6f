// The central directory of a zip file: what its members claim to be. Nothing is unpacked here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/checkpoint/file.h"

namespace core::checkpoint {

struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0: stored
  std::uint32_t crc = 0;
  std::uint64_t compressedSize = 0;
  std::uint64_t size = 0;
  std::uint64_t headerOffset = 0;  ///< of the local header
};

struct ZipDirectory {
  std::vector<ZipEntry> entries;  ///< in the order of the directory
  std::uint64_t offset = 0;       ///< where the directory begins: members end before it
};

bool looksLikeZip(std::string_view head);

/// Source: PKWARE APPNOTE 6.3.10, sections 4.3.12 to 4.3.16 and 4.5.3 (zip64).
/// Errors: Truncated without an end record, Corrupt, TooLarge, Unsafe for names that leave the archive.
ZipDirectory readZipDirectory(const File& file);

}  // namespace core::checkpoint
