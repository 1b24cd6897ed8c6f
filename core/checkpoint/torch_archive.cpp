#include "core/checkpoint/torch_archive.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kLocalHeaderSize = 30;
constexpr std::uint16_t kDescriptorFlag = 0x0008;  // crc and sizes stand behind the data (torch.save to a stream)
constexpr std::uint16_t kUtf8Flag = 0x0800;
constexpr std::uint16_t kEncryptionFlags = 0x2041;
constexpr std::uint32_t kIn64 = 0xffffffff;

[[noreturn]] void fail(ErrorKind kind, const File& file, std::string_view member, const std::string& what) {
  throw Error(kind, fmt::format("{}: the member {} {}", file.name(), inQuotes(member), what));
}

/// What the directory alone tells. The bomb is refused by its claimed size before its compression is.
void checkEntry(const File& file, const ZipEntry& entry) {
  if (entry.name.ends_with("/data.pkl") && entry.size > kLargestPickle) {
    fail(ErrorKind::TooLarge, file, entry.name,
         fmt::format(
             "is said to hold {} bytes; the limit is {}. A checkpoint's pickle is far smaller: don't use this file.",
             grouped(entry.size), grouped(kLargestPickle)));
  }
  if ((entry.flags & kEncryptionFlags) != 0) {
    fail(ErrorKind::Unsupported, file, entry.name, "is encrypted. Save the checkpoint again with torch.save.");
  }
  if (entry.method != 0) {
    fail(ErrorKind::Unsupported, file, entry.name,
         fmt::format(
             "is compressed (zip method {}). torch.save stores without compression: unpack the archive and re-save the "
             "checkpoint with torch.save.",
             entry.method));
  }
  if ((entry.flags & ~(kDescriptorFlag | kUtf8Flag)) != 0) {
    fail(ErrorKind::Unsupported, file, entry.name,
         fmt::format(
             "has the zip flags {:#06x}, which torch.save never sets. Save the checkpoint again with torch.save.",
             entry.flags));
  }
  if (entry.size != entry.compressedSize) {
    fail(ErrorKind::Corrupt, file, entry.name,
         fmt::format("is stored, yet has two sizes, {} and {} bytes. Download or copy the file again.",
                     grouped(entry.size), grouped(entry.compressedSize)));
  }
}

/// A member's place in the file, as [begin, end) of header, name, data and descriptor.
struct Extent {
  std::uint64_t begin = 0, data = 0, end = 0;
};

/// Bytes of the data descriptor at `offset`, or 0 when none there agrees with the directory (APPNOTE 4.3.9).
std::uint64_t descriptorSize(const File& file, std::uint64_t offset, std::uint64_t limit, const ZipEntry& entry) {
  const std::string bytes = file.read(offset, std::min<std::uint64_t>(24, limit - offset));
  const std::string_view all = bytes;
  const bool marked = bytes.size() >= 4 && little<std::uint32_t>(all, 0) == 0x08074b50;
  const std::size_t skip = marked ? 4 : 0;
  if (bytes.size() >= skip + 20 && little<std::uint32_t>(all, skip) == entry.crc &&
      little<std::uint64_t>(all, skip + 4) == entry.size && little<std::uint64_t>(all, skip + 12) == entry.size) {
    return skip + 20;
  }
  if (bytes.size() >= skip + 12 && little<std::uint32_t>(all, skip) == entry.crc &&
      little<std::uint32_t>(all, skip + 4) == entry.size && little<std::uint32_t>(all, skip + 8) == entry.size) {
    return skip + 12;
  }
  return 0;
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

/// Reads the local header: it must say what the directory says (scanners read one, loaders the other).
Extent checkMember(const File& file, const ZipEntry& entry, std::uint64_t directoryOffset) {
  if (!rangeFits(directoryOffset, entry.headerOffset, kLocalHeaderSize)) {
    fail(ErrorKind::Corrupt, file, entry.name,
         fmt::format("is said to begin at byte {}, but members end at byte {}. Download or copy the file again.",
                     grouped(entry.headerOffset), grouped(directoryOffset)));
  }
  const std::string header = file.read(entry.headerOffset, kLocalHeaderSize);
  const std::uint64_t nameSize = little<std::uint16_t>(header, 26);
  const std::uint64_t extraSize = little<std::uint16_t>(header, 28);
  const std::uint64_t data = entry.headerOffset + kLocalHeaderSize + nameSize + extraSize;
  if (little<std::uint32_t>(header, 0) != 0x04034b50 || !rangeFits(directoryOffset, data, entry.size)) {
    fail(ErrorKind::Corrupt, file, entry.name,
         fmt::format("is said to be {} bytes at byte {}, where there is no such member before byte {}. Download or "
                     "copy the file "
                     "again.",
                     grouped(entry.size), grouped(entry.headerOffset), grouped(directoryOffset)));
  }
  const std::string names = file.read(entry.headerOffset + kLocalHeaderSize, nameSize + extraSize);
  const bool described = (entry.flags & kDescriptorFlag) != 0;
  std::uint64_t compressedSize = little<std::uint32_t>(header, 18);
  std::uint64_t size = little<std::uint32_t>(header, 22);
  if (!described && (size == kIn64 || compressedSize == kIn64))
    readLocal64(std::string_view(names).substr(nameSize), size, compressedSize);
  // With a descriptor the header was written before the sizes were known: they are 0 there, or right.
  const auto agrees = [&](std::uint64_t local, std::uint64_t listed) {
    return local == listed || (described && (local == 0 || local == kIn64));
  };
  if (std::string_view(names).substr(0, nameSize) != entry.name || little<std::uint16_t>(header, 6) != entry.flags ||
      little<std::uint16_t>(header, 8) != entry.method || !agrees(size, entry.size) ||
      !agrees(compressedSize, entry.size) || !agrees(little<std::uint32_t>(header, 14), entry.crc)) {
    fail(ErrorKind::Corrupt, file, entry.name,
         fmt::format("is described in two ways: the directory has {} bytes, method {}, flags {:#06x}; its own header "
                     "at byte {} has "
                     "{} bytes, method {}, flags {:#06x}, name {}. Don't use this file.",
                     grouped(entry.size), entry.method, entry.flags, grouped(entry.headerOffset), grouped(size),
                     little<std::uint16_t>(header, 8), little<std::uint16_t>(header, 6),
                     inQuotes(names.substr(0, nameSize))));
  }
  Extent extent{.begin = entry.headerOffset, .data = data, .end = data + entry.size};
  if (described) {
    const std::uint64_t length = descriptorSize(file, extent.end, directoryOffset, entry);
    if (length == 0) {
      fail(ErrorKind::Corrupt, file, entry.name,
           fmt::format(
               "of {} bytes is not followed by a descriptor that says so, at byte {}. Download or copy the file again.",
               grouped(entry.size), grouped(extent.end)));
    }
    extent.end += length;
  }
  return extent;
}

void requireNoOverlap(const File& file, std::vector<std::pair<Extent, const ZipEntry*>>& extents) {
  std::sort(extents.begin(), extents.end(), [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  for (std::size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].first.begin >= extents[i - 1].first.end) continue;
    fail(ErrorKind::Corrupt, file, extents[i].second->name,
         fmt::format("at byte {} overlaps the member {}, which ends at byte {}. No program that saves models writes "
                     "that; don't use "
                     "this file.",
                     grouped(extents[i].first.begin), inQuotes(extents[i - 1].second->name),
                     grouped(extents[i - 1].first.end)));
  }
}

/// "ckpt/" for "ckpt/data.pkl". Errors: Corrupt when there is not exactly one pickle, one folder deep.
std::string findFolder(const File& file, const ZipDirectory& directory) {
  std::vector<std::string> pickles;
  for (const ZipEntry& entry : directory.entries) {
    if (entry.name == "data.pkl" ||
        (entry.name.ends_with("/data.pkl") && entry.name.find('/') == entry.name.rfind('/'))) {
      pickles.push_back(entry.name);
    }
  }
  if (pickles.empty()) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: the archive holds tensors but no member <folder>/data.pkl that says which. Save "
                            "the checkpoint again with torch.save.",
                            file.name()));
  }
  if (pickles.size() > 1) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: the archive holds {} pickles ({}), so which one counts is unclear. Don't use "
                            "this file.",
                            file.name(), pickles.size(), listed(pickles)));
  }
  if (pickles.front() == "data.pkl") {
    fail(ErrorKind::Corrupt, file, "data.pkl",
         "is not in a folder, as torch.save has it: the archive was packed again. Save the checkpoint again with "
         "torch.save.");
  }
  return pickles.front().substr(0, pickles.front().find('/') + 1);
}

}  // namespace

bool looksLikeTorchArchive(const ZipDirectory& directory) {
  return std::any_of(directory.entries.begin(), directory.entries.end(), [](const ZipEntry& entry) {
    const std::string_view name = entry.name;
    return name == "data.pkl" || name.ends_with("/data.pkl") || name.ends_with("/.format_version") ||
           name.ends_with("/data/0") || name.ends_with("/constants.pkl");
  });
}

TorchArchive::TorchArchive(const File& file, const ZipDirectory& directory) : m_file(file) {
  for (const ZipEntry& entry : directory.entries) {
    const std::string_view inFolder = std::string_view(entry.name).substr(entry.name.find('/') + 1);
    if (inFolder == "constants.pkl" || inFolder.starts_with("code/")) {
      fail(ErrorKind::Unsupported, file, entry.name,
           "shows that this is a TorchScript program, not a checkpoint. Save the weights instead: "
           "torch.save(model.state_dict(), ...).");
    }
  }
  const std::string folder = findFolder(file, directory);
  std::vector<std::pair<Extent, const ZipEntry*>> extents;
  for (const ZipEntry& entry : directory.entries) {
    checkEntry(file, entry);
    const Extent extent = checkMember(file, entry, directory.offset);
    extents.emplace_back(extent, &entry);
    if (!entry.name.starts_with(folder)) continue;
    const Record record{.offset = extent.data, .size = entry.size, .crc = entry.crc};
    if (!m_records.emplace(entry.name.substr(folder.size()), record).second) {
      fail(ErrorKind::Corrupt, file, entry.name,
           "is there twice, so which one counts is unclear. Don't use this file.");
    }
  }
  requireNoOverlap(file, extents);
  if (m_records.contains("byteorder")) {
    const std::string order = read("byteorder", 16);
    if (order != "little") {
      fail(ErrorKind::Unsupported, file, folder + "byteorder",
           fmt::format("says {}: this computer reads 'little'. Save the checkpoint again on a little-endian machine.",
                       inQuotes(order)));
    }
  }
}

const Record& TorchArchive::record(std::string_view name) const {
  const auto found = m_records.find(name);
  if (found == m_records.end()) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: the record {} is not in the archive ({} are). Download or copy the file again.",
                            m_file.name(), inQuotes(name), counted(m_records.size(), "record")));
  }
  return found->second;
}

std::string TorchArchive::read(std::string_view name, std::uint64_t limit) const {
  const Record& found = record(name);
  if (found.size > limit) {
    fail(ErrorKind::TooLarge, m_file, name,
         fmt::format("holds {} bytes; the limit is {}. Don't use this file.", grouped(found.size), grouped(limit)));
  }
  return m_file.read(found.offset, found.size);
}

}  // namespace core::checkpoint
