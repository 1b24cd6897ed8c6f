// Writes zip files as torch.save does, and wrong ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace support {

/// What one of the two descriptions of a member says.
struct ZipFields {
  std::string name;
  std::uint16_t flags = 0x0808;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressedSize = 0;
  std::uint64_t size = 0;
};

struct ZipMember {
  std::string data;
  ZipFields local;  ///< crc and sizes are written as 0 when flag 8 is set, as torch.save does
  ZipFields central;
  ZipFields descriptor;            ///< written behind the data when central.flags has 8
  std::uint64_t headerOffset = 0;  ///< as the directory says it; filled in by build() when 0
  std::uint32_t attributes = 0;
  std::string extra;       ///< further fields, of the directory alone, in front of zip64's
  bool zip64 = false;      ///< sizes and offset in the zip64 fields
  bool writeData = true;   ///< false: only an entry of the directory
  std::uint64_t hole = 0;  ///< zeros behind the data that only writeSparse() writes; sizes are up to the caller
};

class ZipBuilder {
 public:
  /// A stored member with everything right; change what should be wrong in the answer.
  ZipMember& add(const std::string& name, const std::string& data);
  ZipMember& member(const std::string& name);
  void remove(const std::string& name);
  std::size_t size() const { return m_members.size(); }

  bool zip64End = true;                               ///< torch.save always writes it
  std::uint64_t claimedEntries = 0;                   ///< instead of the true number, when not 0
  std::function<void(std::string& file)> afterwards;  ///< last change to the bytes

  std::string build() const;
  /// As build(), with the holes of its members as holes of the file. False where the file system has no files so large.
  bool writeSparse(const std::filesystem::path& path) const;

 private:
  struct Hole {
    std::uint64_t at = 0, size = 0;  ///< before the bytes of `at`, which don't count holes
  };
  std::string build(std::vector<Hole>& holes) const;

  std::vector<ZipMember> m_members;
};

}  // namespace support
