#include "tests/core/checkpoint/zip_builder.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace support {

namespace {

void put(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

constexpr std::uint64_t k32 = 0xffffffff;

std::string localHeader(const ZipMember& member) {
  const ZipFields& fields = member.local;
  const bool later = (fields.flags & 8) != 0;
  std::string extra;
  if (member.zip64) {
    put(extra, 1, 2);
    put(extra, 16, 2);
    put(extra, later ? 0 : fields.size, 8);
    put(extra, later ? 0 : fields.compressedSize, 8);
  }
  std::string bytes;
  put(bytes, 0x04034b50, 4);
  put(bytes, 0, 2);
  put(bytes, fields.flags, 2);
  put(bytes, fields.method, 2);
  put(bytes, 0, 4);
  put(bytes, later ? 0 : fields.crc, 4);
  put(bytes, member.zip64 ? k32 : later ? 0 : fields.compressedSize, 4);
  put(bytes, member.zip64 ? k32 : later ? 0 : fields.size, 4);
  put(bytes, fields.name.size(), 2);
  put(bytes, extra.size(), 2);
  return bytes + fields.name + extra;
}

std::string centralHeader(const ZipMember& member, std::uint64_t offset) {
  const ZipFields& fields = member.central;
  std::string extra = member.extra;
  if (member.zip64) {
    put(extra, 1, 2);
    put(extra, 24, 2);
    put(extra, fields.size, 8);
    put(extra, fields.compressedSize, 8);
    put(extra, offset, 8);
  }
  std::string bytes;
  put(bytes, 0x02014b50, 4);
  put(bytes, 0, 4);
  put(bytes, fields.flags, 2);
  put(bytes, fields.method, 2);
  put(bytes, 0, 4);
  put(bytes, fields.crc, 4);
  put(bytes, member.zip64 ? k32 : fields.compressedSize, 4);
  put(bytes, member.zip64 ? k32 : fields.size, 4);
  put(bytes, fields.name.size(), 2);
  put(bytes, extra.size(), 2);
  put(bytes, 0, 6);
  put(bytes, member.attributes, 4);
  put(bytes, member.zip64 ? k32 : offset, 4);
  return bytes + fields.name + extra;
}

std::string descriptor(const ZipMember& member) {
  std::string bytes;
  put(bytes, 0x08074b50, 4);
  put(bytes, member.descriptor.crc, 4);
  const int width = member.zip64 ? 8 : 4;
  put(bytes, member.descriptor.compressedSize, width);
  put(bytes, member.descriptor.size, width);
  return bytes;
}

}  // namespace

ZipMember& ZipBuilder::add(const std::string& name, const std::string& data) {
  ZipFields fields;
  fields.name = name;
  fields.crc =
      static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
  fields.size = fields.compressedSize = data.size();
  ZipMember& member = m_members.emplace_back();
  member.data = data;
  member.local = member.central = member.descriptor = fields;
  return member;
}

ZipMember& ZipBuilder::member(const std::string& name) {
  const auto found =
      std::find_if(m_members.begin(), m_members.end(), [&](const ZipMember& m) { return m.local.name == name; });
  if (found == m_members.end()) throw std::logic_error("no member " + name);
  return *found;
}

void ZipBuilder::remove(const std::string& name) {
  std::erase_if(m_members, [&](const ZipMember& member) { return member.local.name == name; });
}

std::string ZipBuilder::build() const {
  std::vector<Hole> holes;
  return build(holes);
}

bool ZipBuilder::writeSparse(const std::filesystem::path& path) const {
  std::vector<Hole> holes;
  const std::string bytes = build(holes);
  std::ofstream file(path, std::ios::binary);
  std::uint64_t from = 0;
  for (const Hole& hole : holes) {
    file.write(bytes.data() + from, static_cast<std::streamsize>(hole.at - from));
    file.seekp(static_cast<std::streamoff>(hole.size), std::ios::cur);
    from = hole.at;
  }
  file.write(bytes.data() + from, static_cast<std::streamsize>(bytes.size() - from));
  return !file.flush().fail();
}

std::string ZipBuilder::build(std::vector<Hole>& holes) const {
  std::string file, directory;
  std::uint64_t shift = 0;  // by the holes so far
  for (const ZipMember& member : m_members) {
    const std::uint64_t offset = member.headerOffset != 0 ? member.headerOffset : file.size() + shift;
    directory += centralHeader(member, offset);
    if (!member.writeData) continue;
    file += localHeader(member) + member.data;
    if (member.hole != 0) holes.push_back({.at = file.size(), .size = member.hole});
    shift += member.hole;
    if ((member.central.flags & 8) != 0) file += descriptor(member);
  }
  const std::uint64_t offset = file.size() + shift;
  const std::uint64_t entries = claimedEntries != 0 ? claimedEntries : m_members.size();
  file += directory;
  if (zip64End) {
    const std::uint64_t end64 = file.size() + shift;
    put(file, 0x06064b50, 4);
    put(file, 44, 8);
    put(file, 0, 4);
    put(file, 0, 8);
    put(file, entries, 8);
    put(file, entries, 8);
    put(file, directory.size(), 8);
    put(file, offset, 8);
    put(file, 0x07064b50, 4);
    put(file, 0, 4);
    put(file, end64, 8);
    put(file, 1, 4);
  }
  put(file, 0x06054b50, 4);
  put(file, 0, 4);
  put(file, std::min<std::uint64_t>(entries, 0xffff), 2);
  put(file, std::min<std::uint64_t>(entries, 0xffff), 2);
  put(file, directory.size(), 4);
  put(file, std::min(offset, k32), 4);
  put(file, 0, 2);
  if (afterwards) afterwards(file);
  return file;
}

}  // namespace support
