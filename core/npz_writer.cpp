#include "core/npz_writer.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <concepts>
#include <stdexcept>

namespace core {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

namespace {

constexpr std::uint32_t kAll32 = 0xFFFF'FFFF;  // "see the zip64 field"
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kPlainVersion = 20;
constexpr std::uint16_t kFirstDay = 0x21;  // 1 January 1980: the same capture gives the same bytes
constexpr std::uint64_t kCrcInLocalHeader = 14;

/// Little-endian numbers, one after the other.
class Bytes {
 public:
  template <std::unsigned_integral Number>
  Bytes& add(Number value) {
    for (std::size_t i = 0; i < sizeof value; ++i) m_bytes.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xFF));
    return *this;
  }
  Bytes& add(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    return *this;
  }
  Bytes& add(const Bytes& other) {
    m_bytes.insert(m_bytes.end(), other.m_bytes.begin(), other.m_bytes.end());
    return *this;
  }
  std::size_t size() const { return m_bytes.size(); }
  std::span<const std::byte> span() const { return m_bytes; }

 private:
  std::vector<std::byte> m_bytes;
};

std::uint32_t addToCrc(std::uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

NpzWriter::NpzWriter(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded,
                     std::uint64_t zip64From)
    : m_file(path, existing, bytesNeeded), m_zip64From(zip64From) {}

void NpzWriter::add(const OutputArray& array) {
  const std::string header = npyHeader(array.type, array.shape, array.textLength);
  Entry entry{array.name + ".npy", array.bytes() + header.size(), m_file.size(), 0};
  const bool zip64 = entry.size >= m_zip64From;
  Bytes extra;
  if (zip64) extra.add(std::uint16_t{1}).add(std::uint16_t{16}).add(entry.size).add(entry.size);
  const std::uint32_t size = zip64 ? kAll32 : static_cast<std::uint32_t>(entry.size);
  Bytes local;
  local.add(std::uint32_t{0x04034b50}).add(zip64 ? kZip64Version : kPlainVersion);
  local.add(std::uint16_t{0}).add(std::uint16_t{0});  // no flags, stored
  local.add(std::uint16_t{0}).add(kFirstDay);
  local.add(std::uint32_t{0}).add(size).add(size);  // the checksum is known at the end
  local.add(static_cast<std::uint16_t>(entry.name.size())).add(static_cast<std::uint16_t>(extra.size()));
  local.add(entry.name).add(extra);
  m_file.append(local.span());

  std::uint64_t left = entry.size;
  const AppendBytes append = [&](std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > left) throw std::logic_error("values that the array has no place for");
    entry.crc = addToCrc(entry.crc, bytes);
    m_file.append(bytes);
    left -= bytes.size();
  };
  append(std::as_bytes(std::span(header)));
  array.write(append);
  if (left != 0) throw std::logic_error("an array with values missing");
  m_file.patch(entry.offset + kCrcInLocalHeader, Bytes().add(entry.crc).span());
  m_entries.push_back(std::move(entry));
}

std::uint64_t NpzWriter::finish() {
  const auto field32 = [this](std::uint64_t value) {
    return value >= m_zip64From ? kAll32 : static_cast<std::uint32_t>(value);
  };
  Bytes directory;
  for (const Entry& entry : m_entries) {
    Bytes values;
    if (entry.size >= m_zip64From) values.add(entry.size).add(entry.size);
    if (entry.offset >= m_zip64From) values.add(entry.offset);
    Bytes extra;
    if (values.size() > 0) extra.add(std::uint16_t{1}).add(static_cast<std::uint16_t>(values.size())).add(values);
    const std::uint16_t version = extra.size() > 0 ? kZip64Version : kPlainVersion;

    directory.add(std::uint32_t{0x02014b50}).add(version).add(version);
    directory.add(std::uint16_t{0}).add(std::uint16_t{0});  // no flags, stored
    directory.add(std::uint16_t{0}).add(kFirstDay);
    directory.add(entry.crc).add(field32(entry.size)).add(field32(entry.size));
    directory.add(static_cast<std::uint16_t>(entry.name.size())).add(static_cast<std::uint16_t>(extra.size()));
    directory.add(std::uint16_t{0})
        .add(std::uint16_t{0})
        .add(std::uint16_t{0})
        .add(std::uint32_t{0});  // no comment, disk 0
    directory.add(field32(entry.offset)).add(entry.name).add(extra);
  }
  const std::uint64_t start = m_file.size();
  const std::uint64_t count = m_entries.size();
  Bytes end;
  if (start >= m_zip64From) {
    const std::uint64_t zip64End = start + directory.size();
    end.add(std::uint32_t{0x06064b50}).add(std::uint64_t{44}).add(kZip64Version).add(kZip64Version);
    end.add(std::uint32_t{0}).add(std::uint32_t{0}).add(count).add(count);
    end.add(std::uint64_t{directory.size()}).add(start);
    end.add(std::uint32_t{0x07064b50}).add(std::uint32_t{0}).add(zip64End).add(std::uint32_t{1});
  }
  end.add(std::uint32_t{0x06054b50}).add(std::uint16_t{0}).add(std::uint16_t{0});
  end.add(static_cast<std::uint16_t>(count)).add(static_cast<std::uint16_t>(count));
  end.add(static_cast<std::uint32_t>(directory.size())).add(field32(start)).add(std::uint16_t{0});
  m_file.append(directory.span());
  m_file.append(end.span());
  m_file.commit();
  return m_file.size();
}

}  // namespace core
