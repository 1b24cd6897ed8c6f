#include "core/arrays/zip_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/zip_directory.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::File;
using checkpoint::grouped;
using checkpoint::inQuotes;
using checkpoint::little;
using checkpoint::rangeFits;
using checkpoint::ZipEntry;

namespace {

constexpr std::uint64_t kLocalHeaderSize = 30;
constexpr std::uint16_t kDeflateFlags = 0x0006;  // how hard the packer tried
constexpr std::uint16_t kDescriptorFlag = 0x0008;
constexpr std::uint16_t kUtf8Flag = 0x0800;
constexpr std::uint16_t kEncryptionFlags = 0x2041;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint32_t kIn64 = 0xffffffff;
constexpr std::uint64_t kLargestRatio = 1032;  // of deflate: 258 bytes from 2 bits

[[noreturn]] void fail(ErrorKind kind, const File& file, const std::string& member, const std::string& what) {
  throw Error(kind, fmt::format("{}: the member {} {}", file.name(), inQuotes(member), what));
}

[[noreturn]] void corrupt(const File& file, const std::string& member, const std::string& what) {
  fail(ErrorKind::Corrupt, file, member, what + ". Copy or save the file again.");
}

void checkEntry(const File& file, const ZipEntry& entry) {
  if ((entry.flags & kEncryptionFlags) != 0)
    fail(ErrorKind::Unsupported, file, entry.name, "is encrypted. Save the arrays without a password.");
  if (entry.method != kStored && entry.method != kDeflated) {
    fail(ErrorKind::Unsupported, file, entry.name,
         fmt::format("is compressed by the zip method {}; stored and deflated members are read. Save the arrays with "
                     "numpy.savez.",
                     entry.method));
  }
  if ((entry.flags & ~(kDeflateFlags | kDescriptorFlag | kUtf8Flag)) != 0) {
    fail(ErrorKind::Unsupported, file, entry.name,
         fmt::format("has the zip flags {:#06x}. Save the arrays with numpy.savez.", entry.flags));
  }
  if (entry.method == kStored && entry.size != entry.compressedSize) {
    corrupt(file, entry.name,
            fmt::format("is stored, yet has two sizes, {} and {} bytes", grouped(entry.size),
                        grouped(entry.compressedSize)));
  }
  if (entry.method == kDeflated && entry.size / kLargestRatio > entry.compressedSize) {
    corrupt(file, entry.name,
            fmt::format("is said to hold {} bytes in {}, more than deflate can pack", grouped(entry.size),
                        grouped(entry.compressedSize)));
  }
}

/// Sizes of a local header that are in its zip64 field (uncompressed, then compressed).
void readLocal64(std::string_view extra, std::uint64_t& size, std::uint64_t& compressedSize) {
  while (extra.size() >= 4) {
    const std::size_t length = little<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) return;
    if (little<std::uint16_t>(extra, 0) == 1 && length >= 16) {
      size = little<std::uint64_t>(extra, 4);
      compressedSize = little<std::uint64_t>(extra, 12);
      return;
    }
    extra.remove_prefix(4 + length);
  }
}

/// The member where its local header says it is. Sizes that are said behind the data are those of the directory:
/// reading to the end and the checksum tell whether they are right.
ZipMember checkedMember(const File& file, const ZipEntry& entry, std::uint64_t directoryOffset) {
  const auto missing = [&] {
    corrupt(file, entry.name,
            fmt::format("is said to be {} bytes at byte {}, where there is no such member before byte {}",
                        grouped(entry.compressedSize), grouped(entry.headerOffset), grouped(directoryOffset)));
  };
  if (!rangeFits(directoryOffset, entry.headerOffset, kLocalHeaderSize)) missing();
  const std::string header = file.read(entry.headerOffset, kLocalHeaderSize);
  const std::uint64_t nameSize = little<std::uint16_t>(header, 26);
  const std::uint64_t extraSize = little<std::uint16_t>(header, 28);
  const std::uint64_t data = entry.headerOffset + kLocalHeaderSize + nameSize + extraSize;
  if (little<std::uint32_t>(header, 0) != 0x04034b50 || !rangeFits(directoryOffset, data, entry.compressedSize))
    missing();
  const std::string names = file.read(entry.headerOffset + kLocalHeaderSize, nameSize + extraSize);
  const bool described = (entry.flags & kDescriptorFlag) != 0;
  std::uint64_t compressedSize = little<std::uint32_t>(header, 18);
  std::uint64_t size = little<std::uint32_t>(header, 22);
  if (size == kIn64 || compressedSize == kIn64)
    readLocal64(std::string_view(names).substr(nameSize), size, compressedSize);
  const auto agrees = [&](std::uint64_t local, std::uint64_t listed) {
    return local == listed || (described && (local == 0 || local == kIn64));
  };
  if (std::string_view(names).substr(0, nameSize) != entry.name || little<std::uint16_t>(header, 6) != entry.flags ||
      little<std::uint16_t>(header, 8) != entry.method || !agrees(size, entry.size) ||
      !agrees(compressedSize, entry.compressedSize) || !agrees(little<std::uint32_t>(header, 14), entry.crc)) {
    corrupt(
        file, entry.name,
        fmt::format("is described in two ways: the directory has {} bytes, method {}, flags {:#06x}; its own header "
                    "at byte {} has {} bytes, method {}, flags {:#06x}, name {}",
                    grouped(entry.size), entry.method, entry.flags, grouped(entry.headerOffset), grouped(size),
                    little<std::uint16_t>(header, 8), little<std::uint16_t>(header, 6),
                    inQuotes(names.substr(0, nameSize))));
  }
  return {.name = entry.name,
          .offset = data,
          .compressedSize = entry.compressedSize,
          .size = entry.size,
          .crc = entry.crc,
          .deflated = entry.method == kDeflated};
}

/// headers: where each member's local header begins, in the same order.
void requireApart(const File& file, const std::vector<ZipMember>& members, const std::vector<std::uint64_t>& headers) {
  std::vector<std::size_t> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return headers[a] < headers[b]; });
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ZipMember& member = members[order[i]];
    if (!names.insert(member.name).second) corrupt(file, member.name, "is there twice, so which one counts is unclear");
    if (i == 0) continue;
    const ZipMember& before = members[order[i - 1]];
    const std::uint64_t end = before.offset + before.compressedSize;
    if (headers[order[i]] >= end) continue;
    corrupt(file, member.name,
            fmt::format("at byte {} overlaps the member {}, which ends at byte {}", grouped(headers[order[i]]),
                        inQuotes(before.name), grouped(end)));
  }
}

}  // namespace

std::vector<ZipMember> readZipMembers(const File& file) {
  const checkpoint::ZipDirectory directory = checkpoint::readZipDirectory(file);
  std::vector<ZipMember> members;
  std::vector<std::uint64_t> headers;
  for (const ZipEntry& entry : directory.entries) {
    checkEntry(file, entry);
    members.push_back(checkedMember(file, entry, directory.offset));
    headers.push_back(entry.headerOffset);
  }
  requireApart(file, members, headers);
  return members;
}

}  // namespace core::arrays
