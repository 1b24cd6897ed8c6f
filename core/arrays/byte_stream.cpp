#include "core/arrays/byte_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::File;
using checkpoint::grouped;

/// Source: RFC 1951, by zlib.
class ByteStream::Inflater {
 public:
  Inflater(const File& file, const ZipMember& member, const std::string& origin)
      : m_file(file), m_origin(origin), m_at(member.offset), m_left(member.compressedSize), m_buffer(kChunk) {
    if (::inflateInit2(&m_stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&m_stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void read(std::span<std::byte> into) {
    while (!into.empty()) {
      const std::size_t made = step(into);
      if (made == 0 && m_ended) fail("ends too early");
      into = into.subspan(made);
    }
  }

  /// The data must end here too.
  void finish() {
    std::byte extra{};
    while (!m_ended) {
      if (step({&extra, 1}) > 0) fail("holds more than it is said to");
    }
    if (m_left > 0 || m_stream.avail_in > 0) fail("ends before its packed bytes do");
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 18;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: what is packed in it {}. Copy or save the file again.", m_origin, what));
  }

  /// Inflates once, into at most `into`. Answers how many bytes were made.
  std::size_t step(std::span<std::byte> into) {
    if (m_ended) return 0;
    if (m_stream.avail_in == 0) {
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, m_left));
      if (wanted == 0) fail("ends too early");
      m_file.read(m_at, std::span(m_buffer).first(wanted));
      m_at += wanted;
      m_left -= wanted;
      m_stream.next_in = reinterpret_cast<Bytef*>(m_buffer.data());
      m_stream.avail_in = static_cast<uInt>(wanted);
    }
    const std::size_t room = std::min<std::size_t>(into.size(), std::size_t{1} << 30);
    m_stream.next_out = reinterpret_cast<Bytef*>(into.data());
    m_stream.avail_out = static_cast<uInt>(room);
    const int answer = ::inflate(&m_stream, Z_NO_FLUSH);
    m_ended = answer == Z_STREAM_END;
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
      fail(fmt::format("can't be inflated ({})", m_stream.msg != nullptr ? m_stream.msg : "no deflate data"));
    return room - m_stream.avail_out;
  }

  const File& m_file;
  const std::string& m_origin;
  std::uint64_t m_at;
  std::uint64_t m_left;  ///< packed bytes that were not read from the file yet
  std::vector<std::byte> m_buffer;
  z_stream m_stream{};
  bool m_ended = false;
};

ByteStream::ByteStream(const File& file, std::uint64_t offset, std::uint64_t size, std::string origin)
    : m_file(file), m_origin(std::move(origin)), m_at(offset), m_left(size) {}

ByteStream::ByteStream(const File& file, const ZipMember& member, std::string origin)
    : m_file(file), m_origin(std::move(origin)), m_at(member.offset), m_left(member.size), m_wantedCrc(member.crc) {
  if (member.deflated) m_inflater = std::make_unique<Inflater>(file, member, m_origin);
}

ByteStream::~ByteStream() = default;

void ByteStream::requireLeft(std::uint64_t length) const {
  if (length <= m_left) return;
  throw Error(ErrorKind::Truncated, fmt::format("{}: {} bytes more are needed, it has {}. Copy or save the file again.",
                                                m_origin, grouped(length), grouped(m_left)));
}

void ByteStream::read(std::span<std::byte> into) {
  requireLeft(into.size());
  if (into.empty()) return;
  if (m_inflater) {
    m_inflater->read(into);
  } else {
    m_file.read(m_at, into);
    m_at += into.size();
  }
  m_left -= into.size();
  if (m_wantedCrc)
    m_crc = static_cast<std::uint32_t>(::crc32_z(m_crc, reinterpret_cast<const Bytef*>(into.data()), into.size()));
}

std::string ByteStream::read(std::uint64_t length) {
  requireLeft(length);  // before anything is allocated
  std::string bytes(length, '\0');
  read(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

void ByteStream::finish() {
  if (m_inflater) m_inflater->finish();
  if (m_wantedCrc && m_crc != *m_wantedCrc) {
    throw Error(
        ErrorKind::Corrupt,
        fmt::format("{}: its checksum is {:08x}, the archive's directory says {:08x}: the file is damaged. Copy or "
                    "save it again.",
                    m_origin, m_crc, *m_wantedCrc));
  }
}

}  // namespace core::arrays
