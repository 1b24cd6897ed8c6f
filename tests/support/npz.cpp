#include "tests/support/npz.h"

#include <zlib.h>

#include <cstring>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("npz: " + what);
}

class Reader {
 public:
  Reader(const std::string& bytes, std::uint64_t at) : m_bytes(bytes), m_at(at) {}
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    const std::string field = text(size);
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(field[i]);
    return value;
  }
  std::string text(std::uint64_t size) {
    require(m_at <= m_bytes.size() && size <= m_bytes.size() - m_at, "a field past the end");
    m_at += size;
    return m_bytes.substr(m_at - size, size);
  }
  std::uint64_t at() const { return m_at; }

 private:
  const std::string& m_bytes;
  std::uint64_t m_at;
};

/// Replaces the fields that say "see zip64" by the numbers of the extra field, in the order they must have there.
void applyZip64(const std::string& extra, const std::vector<std::uint64_t*>& fields) {
  Reader reader(extra, 0);
  std::vector<std::uint64_t*> wanted;
  for (std::uint64_t* field : fields) {
    if (*field == 0xFFFFFFFF) wanted.push_back(field);
  }
  if (wanted.empty()) {
    require(extra.empty(), "an extra field without need");
    return;
  }
  require(reader.number(2) == 1, "the zip64 field is missing");
  require(reader.number(2) == 8 * wanted.size(), "the zip64 field has another size than its numbers");
  for (std::uint64_t* field : wanted) *field = reader.number(8);
}

/// Elements of "<U12": `length` code points each, filled up with NULs.
std::vector<std::string> textsOf(const std::string& data, std::size_t length) {
  std::vector<std::string> texts;
  Reader reader(data, 0);
  while (reader.at() < data.size()) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint64_t point = reader.number(4);
      if (point == 0) continue;
      const auto add = [&](std::uint64_t byte) { text += static_cast<char>(byte); };
      if (point < 0x80) {
        add(point);
      } else if (point < 0x800) {
        add(0xC0 | (point >> 6));
        add(0x80 | (point & 0x3F));
      } else if (point < 0x10000) {
        add(0xE0 | (point >> 12));
        add(0x80 | ((point >> 6) & 0x3F));
        add(0x80 | (point & 0x3F));
      } else {
        add(0xF0 | (point >> 18));
        add(0x80 | ((point >> 12) & 0x3F));
        add(0x80 | ((point >> 6) & 0x3F));
        add(0x80 | (point & 0x3F));
      }
    }
    texts.push_back(text);
  }
  return texts;
}

NpyArray parseNpy(const std::string& bytes) {
  require(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8), "not NPY 1.0");
  Reader reader(bytes, 8);
  std::string header = reader.text(reader.number(2));
  require(reader.at() % 64 == 0, "the NPY header is not padded to 64 bytes");
  require(header.ends_with('\n'), "the NPY header does not end with a newline");
  header.pop_back();
  header.erase(header.find_last_not_of(' ') + 1);
  const std::string data = bytes.substr(reader.at());
  NpyArray array{header, {}, {}, {}};
  const auto copyTo = [&data](void* to) {
    if (!data.empty()) std::memcpy(to, data.data(), data.size());
  };
  constexpr std::string_view kText = "'descr': '<U";
  if (const std::size_t at = header.find(kText); at != std::string::npos) {
    array.texts = textsOf(data, std::stoul(header.substr(at + kText.size())));
  } else if (header.find("'descr': '<f4'") != std::string::npos) {
    array.floats.resize(data.size() / 4);
    copyTo(array.floats.data());
  } else {
    require(header.find("'descr': '<i8'") != std::string::npos, "an unexpected type: " + header);
    array.integers.resize(data.size() / 8);
    copyTo(array.integers.data());
  }
  return array;
}

}  // namespace

std::map<std::string, NpyArray> readNpz(const std::filesystem::path& path) {
  const std::string bytes = readFile(path);
  require(bytes.size() >= 22, "too short");
  Reader end(bytes, bytes.size() - 22);
  require(end.number(4) == 0x06054b50, "no end of central directory");
  require(end.number(4) == 0, "more than one disk");
  const std::uint64_t count = end.number(2);
  require(end.number(2) == count, "two counts");
  std::uint64_t directorySize = end.number(4);
  std::uint64_t directoryAt = end.number(4);
  std::uint64_t directoryEnd = bytes.size() - 22;
  if (directoryAt == 0xFFFFFFFF) {
    Reader locator(bytes, bytes.size() - 22 - 20);
    require(locator.number(4) == 0x07064b50 && locator.number(4) == 0, "no zip64 locator");
    directoryEnd = locator.number(8);
    require(locator.number(4) == 1, "disks");
    Reader zip64(bytes, directoryEnd);
    require(zip64.number(4) == 0x06064b50 && zip64.number(8) == 44, "no zip64 end of central directory");
    zip64.text(12);
    require(zip64.number(8) == count && zip64.number(8) == count, "the zip64 counts differ");
    directorySize = zip64.number(8);
    directoryAt = zip64.number(8);
  }
  require(directoryAt + directorySize == directoryEnd, "the central directory does not end where it should");

  std::map<std::string, NpyArray> arrays;
  Reader directory(bytes, directoryAt);
  std::uint64_t expectedAt = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    require(directory.number(4) == 0x02014b50, "no central entry");
    directory.text(4);
    require(directory.number(2) == 0 && directory.number(2) == 0, "flags or compression");
    directory.text(4);
    const std::uint64_t crc = directory.number(4);
    std::uint64_t packed = directory.number(4), size = directory.number(4);
    const std::uint64_t nameSize = directory.number(2), extraSize = directory.number(2);
    directory.text(10);
    std::uint64_t localAt = directory.number(4);
    const std::string name = directory.text(nameSize);
    applyZip64(directory.text(extraSize), {&size, &packed, &localAt});
    require(packed == size, "a stored member of two sizes");
    require(localAt == expectedAt, "a hole before " + name);

    Reader local(bytes, localAt);
    require(local.number(4) == 0x04034b50, "no local header");
    local.text(2);
    require(local.number(2) == 0 && local.number(2) == 0, "local flags or compression");
    local.text(4);
    require(local.number(4) == crc, "two checksums of " + name);
    std::uint64_t localPacked = local.number(4), localSize = local.number(4);
    const std::uint64_t localNameSize = local.number(2), localExtraSize = local.number(2);
    require(local.text(localNameSize) == name, "two names");
    applyZip64(local.text(localExtraSize), {&localSize, &localPacked});
    require(localPacked == size && localSize == size, "two sizes of " + name);
    const std::string member = local.text(size);
    require(::crc32(0, reinterpret_cast<const Bytef*>(member.data()), static_cast<uInt>(size)) == crc,
            "checksum of " + name);
    expectedAt = local.at();
    require(name.ends_with(".npy"), "a member that is no array: " + name);
    arrays.emplace(name.substr(0, name.size() - 4), parseNpy(member));
  }
  require(expectedAt == directoryAt && directory.at() == directoryEnd, "bytes that belong to nothing");
  return arrays;
}

}  // namespace support
