#include "core/checkpoint/gguf_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kLargestHeader = 64u << 20;  // the largest vocabularies take a fifth of it
constexpr std::uint64_t kPiece = 1u << 16;

}  // namespace

void GgufHeader::need(std::uint64_t bytes, std::string_view what) {
  if (!rangeFits(m_file.size(), m_at, bytes)) {
    throw Error(ErrorKind::Truncated,
                fmt::format("{}: the file was cut short, or its header is damaged: {} takes {} bytes from byte {} on, "
                            "the file has {}. Download or copy it again.",
                            m_file.name(), what, grouped(bytes), grouped(m_at), grouped(m_file.size())));
  }
  const std::uint64_t end = m_at + bytes;
  if (end > kLargestHeader) {
    throw Error(ErrorKind::TooLarge,
                fmt::format("{}: its header goes on to byte {} with {}; the limit is {}. If that is right, convert the "
                            "model again without so much metadata; if not, download it again.",
                            m_file.name(), grouped(end), what, grouped(kLargestHeader)));
  }
  if (end <= m_bytes.size()) return;
  // As much again as there is, so that many small items need few reads.
  const std::uint64_t more = std::max({end - m_bytes.size(), kPiece, std::uint64_t{m_bytes.size()}});
  m_bytes += m_file.read(m_bytes.size(), std::min(more, m_file.size() - m_bytes.size()));
}

std::string_view GgufHeader::nextText(std::string_view what, std::uint64_t most) {
  const auto length = next<std::uint64_t>(what);
  if (length > most) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: {} is said to have {} bytes; the limit is {}. Download or copy the file again.",
                            m_file.name(), what, grouped(length), grouped(most)));
  }
  need(length, what);
  const std::string_view text = std::string_view(m_bytes).substr(static_cast<std::size_t>(m_at), length);
  m_at += length;
  return text;
}

void GgufHeader::skip(std::uint64_t count, std::uint64_t size, std::string_view what) {
  const auto bytes = checkedMultiply(count, size);
  if (!bytes) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: {} is said to have {} items of {} bytes, more than there are numbers. Download or "
                            "copy the file again.",
                            m_file.name(), what, grouped(count), size));
  }
  need(*bytes, what);
  m_at += *bytes;
}

}  // namespace core::checkpoint
