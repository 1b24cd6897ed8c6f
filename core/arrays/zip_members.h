// The members of a zip that are read: stored or deflated, each described the same way twice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/checkpoint/file.h"

namespace core::arrays {

struct ZipMember {
  std::string name;
  std::uint64_t offset = 0;  ///< of its first byte in the file
  std::uint64_t compressedSize = 0;
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  bool deflated = false;
};

/// Checks every member against its local header, and that no two share a byte; unpacks nothing.
/// Errors: those of readZipDirectory(); Corrupt, Unsupported (encrypted, compressed by another method than deflate),
/// with the member's name.
std::vector<ZipMember> readZipMembers(const checkpoint::File& file);

}  // namespace core::arrays
