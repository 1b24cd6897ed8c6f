#include "core/checkpoint/zip_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kEndSize = 22;
constexpr std::uint64_t kLongestComment = 0xffff;
constexpr std::uint64_t kEnd64LocatorSize = 20;
constexpr std::uint64_t kEnd64Size = 56;
constexpr std::uint64_t kEntrySize = 46;
constexpr std::uint64_t kLargestDirectory = 64u << 20;
constexpr std::uint64_t kMostMembers = 200'000;
constexpr std::uint32_t kIn64 = 0xffffffff;  // "the zip64 field has the number"

[[noreturn]] void corrupt(const File& file, const std::string& what) {
  throw Error(ErrorKind::Corrupt,
              fmt::format("{}: {}. The archive is damaged; download or copy it again.", file.name(), what));
}

/// Where the directory is and how much of it, from the end record and its zip64 twin.
struct End {
  std::uint64_t entries = 0, size = 0, offset = 0;
  std::uint64_t directoryEnd = 0;  ///< where the first end record begins
};

/// The end record is the last thing in the file but for its comment.
std::uint64_t findEnd(const File& file) {
  const std::uint64_t tail = std::min(file.size(), kEndSize + kLongestComment);
  const std::string bytes = file.read(file.size() - tail, tail);
  for (std::size_t at = bytes.size() >= kEndSize ? bytes.size() - kEndSize + 1 : 0; at-- > 0;) {
    if (little<std::uint32_t>(bytes, at) != 0x06054b50) continue;
    if (at + kEndSize + little<std::uint16_t>(bytes, at + 20) == bytes.size()) return file.size() - tail + at;
  }
  throw Error(
      ErrorKind::Truncated,
      fmt::format(
          "{}: the archive's list of contents, which closes the file, is missing after {} bytes: the file was cut "
          "short. Download or copy it again.",
          file.name(), grouped(file.size())));
}

std::optional<End> readEnd64(const File& file, std::uint64_t endOffset) {
  if (endOffset < kEnd64LocatorSize + kEnd64Size) return std::nullopt;
  const std::string locator = file.read(endOffset - kEnd64LocatorSize, kEnd64LocatorSize);
  if (little<std::uint32_t>(locator, 0) != 0x07064b50) return std::nullopt;
  const auto offset = little<std::uint64_t>(locator, 8);
  if (offset != endOffset - kEnd64LocatorSize - kEnd64Size) {
    corrupt(file, fmt::format("its zip64 end record is said to be at byte {}, not at byte {} where it belongs",
                              grouped(offset), grouped(endOffset - kEnd64LocatorSize - kEnd64Size)));
  }
  const std::string record = file.read(offset, kEnd64Size);
  if (little<std::uint32_t>(record, 0) != 0x06064b50 || little<std::uint64_t>(record, 4) != kEnd64Size - 12) {
    corrupt(file, fmt::format("its zip64 end record at byte {} is not one", grouped(offset)));
  }
  if (little<std::uint32_t>(record, 16) != 0 || little<std::uint32_t>(record, 20) != 0 ||
      little<std::uint32_t>(locator, 4) != 0) {
    throw Error(
        ErrorKind::Unsupported,
        fmt::format("{}: it is one part of a zip in several parts. Join them and open the whole.", file.name()));
  }
  return End{.entries = little<std::uint64_t>(record, 32),
             .size = little<std::uint64_t>(record, 40),
             .offset = little<std::uint64_t>(record, 48),
             .directoryEnd = offset};
}

/// A number in both end records: the short field has it too, or says that it does not fit.
void requireAgreement(const File& file, std::uint64_t wide, std::uint64_t narrow, std::uint64_t full,
                      const char* what) {
  if (narrow != full && narrow != wide) {
    corrupt(file,
            fmt::format("its two end records disagree on the {}: {} and {}", what, grouped(wide), grouped(narrow)));
  }
}

End readEnd(const File& file) {
  const std::uint64_t endOffset = findEnd(file);
  const std::string record = file.read(endOffset, kEndSize);
  End end{.entries = little<std::uint16_t>(record, 10),
          .size = little<std::uint32_t>(record, 12),
          .offset = little<std::uint32_t>(record, 16),
          .directoryEnd = endOffset};
  if (little<std::uint16_t>(record, 4) != 0 || little<std::uint16_t>(record, 6) != 0) {
    throw Error(
        ErrorKind::Unsupported,
        fmt::format("{}: it is one part of a zip in several parts. Join them and open the whole.", file.name()));
  }
  if (const auto end64 = readEnd64(file, endOffset)) {
    requireAgreement(file, end64->entries, end.entries, 0xffff, "number of members");
    requireAgreement(file, end64->size, end.size, kIn64, "size of the directory");
    requireAgreement(file, end64->offset, end.offset, kIn64, "place of the directory");
    end = *end64;
  }
  if (!rangeFits(end.directoryEnd, end.offset, end.size) || end.offset + end.size != end.directoryEnd) {
    corrupt(file, fmt::format("its directory is said to be {} bytes at byte {}, but must end at byte {}",
                              grouped(end.size), grouped(end.offset), grouped(end.directoryEnd)));
  }
  if (end.entries > end.size / kEntrySize) {
    corrupt(file,
            fmt::format("its directory of {} bytes can't list {} members", grouped(end.size), grouped(end.entries)));
  }
  if (end.size > kLargestDirectory || end.entries > kMostMembers) {
    throw Error(ErrorKind::TooLarge,
                fmt::format("{}: its directory lists {} members in {} bytes; the limits are {} and {}. No "
                            "model of this kind needs so many: choose another file.",
                            file.name(), grouped(end.entries), grouped(end.size), grouped(kMostMembers),
                            grouped(kLargestDirectory)));
  }
  return end;
}

/// Replaces the numbers that did not fit by those of the zip64 field, in the order of APPNOTE 4.5.3.
void readExtra64(const File& file, std::string_view extra, ZipEntry& entry) {
  std::uint64_t* const wanted[] = {&entry.size, &entry.compressedSize, &entry.headerOffset};
  bool needed = std::any_of(std::begin(wanted), std::end(wanted), [](const auto* number) { return *number == kIn64; });
  while (extra.size() >= 4) {
    const auto id = little<std::uint16_t>(extra, 0);
    const std::size_t length = little<std::uint16_t>(extra, 2);
    if (length > extra.size() - 4) break;
    std::string_view field = extra.substr(4, length);
    extra.remove_prefix(4 + length);
    if (id != 1) continue;
    for (std::uint64_t* number : wanted) {
      if (*number != kIn64) continue;
      if (field.size() < 8) corrupt(file, fmt::format("the zip64 field of {} is too short", inQuotes(entry.name)));
      *number = little<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
    needed = false;
  }
  if (needed) corrupt(file, fmt::format("{} lacks the zip64 field that has its sizes", inQuotes(entry.name)));
}

void requireSafeName(const File& file, const ZipEntry& entry, std::uint32_t attributes) {
  const std::string& name = entry.name;
  const std::string slashed = "/" + name + "/";
  const bool symbolicLink = ((attributes >> 16) & 0170000u) == 0120000u;
  const char* why = name.empty()                                ? "has an empty name"
                    : name.front() == '/'                       ? "has a name that starts at the root"
                    : slashed.find("/../") != std::string::npos ? "has a name that leads out of the archive"
                    : name.find('\\') != std::string::npos      ? "has a backslash in its name"
                    : name.find('\0') != std::string::npos      ? "has a NUL in its name"
                    : symbolicLink                              ? "is a symbolic link"
                                                                : nullptr;
  if (why == nullptr) return;
  throw Error(ErrorKind::Unsafe,
              fmt::format("{}: the member {} {}. No program that saves models writes that; don't use this file.",
                          file.name(), inQuotes(name), why));
}

}  // namespace

bool looksLikeZip(std::string_view head) { return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06"); }

ZipDirectory readZipDirectory(const File& file) {
  const End end = readEnd(file);
  const std::string bytes = file.read(end.offset, end.size);
  ZipDirectory directory{.entries = {}, .offset = end.offset};
  directory.entries.reserve(end.entries);  // bounded by the bytes of the directory
  std::string_view rest = bytes;
  for (std::uint64_t i = 0; i < end.entries; ++i) {
    if (rest.size() < kEntrySize || little<std::uint32_t>(rest, 0) != 0x02014b50) {
      corrupt(file,
              fmt::format("entry {} of the {} in its directory is missing", grouped(i + 1), grouped(end.entries)));
    }
    const std::size_t nameSize = little<std::uint16_t>(rest, 28);
    const std::size_t extraSize = little<std::uint16_t>(rest, 30);
    const std::size_t commentSize = little<std::uint16_t>(rest, 32);
    if (nameSize + extraSize + commentSize > rest.size() - kEntrySize) {
      corrupt(file, fmt::format("entry {} of its directory runs past the directory's end", grouped(i + 1)));
    }
    ZipEntry entry{.name = std::string(rest.substr(kEntrySize, nameSize)),
                   .flags = little<std::uint16_t>(rest, 8),
                   .method = little<std::uint16_t>(rest, 10),
                   .crc = little<std::uint32_t>(rest, 16),
                   .compressedSize = little<std::uint32_t>(rest, 20),
                   .size = little<std::uint32_t>(rest, 24),
                   .headerOffset = little<std::uint32_t>(rest, 42)};
    requireSafeName(file, entry, little<std::uint32_t>(rest, 38));
    readExtra64(file, rest.substr(kEntrySize + nameSize, extraSize), entry);
    directory.entries.push_back(std::move(entry));
    rest.remove_prefix(kEntrySize + nameSize + extraSize + commentSize);
  }
  if (!rest.empty())
    corrupt(file, fmt::format("its directory has {} bytes after the last entry", grouped(std::uint64_t{rest.size()})));
  return directory;
}

}  // namespace core::checkpoint
