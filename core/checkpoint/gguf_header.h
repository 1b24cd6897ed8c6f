// The header of a GGUF file, read from front to back: no count in it is believed before the bytes are there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/file.h"
#include "core/checkpoint/little_endian.h"

namespace core::checkpoint {

class GgufHeader {
 public:
  /// The file outlives this.
  explicit GgufHeader(const File& file) : m_file(file) {}

  std::uint64_t at() const { return m_at; }

  /// `what` names the item in sentences: "the key 3 of 20".
  /// Errors: Truncated when the file ends before the item does, TooLarge when the header does not fit its limit.
  template <class T>
  T next(std::string_view what) {
    need(sizeof(T), what);
    const T value = little<T>(m_bytes, static_cast<std::size_t>(m_at));
    m_at += sizeof(T);
    return value;
  }

  /// A length and as many bytes; the view lives until the next read. Errors: also Corrupt for more than `most` bytes.
  std::string_view nextText(std::string_view what, std::uint64_t most);

  /// Passes over `count` items of `size` bytes. Errors: also Corrupt when that is more than 2^64 bytes.
  void skip(std::uint64_t count, std::uint64_t size, std::string_view what);

  /// What was read from a place on. Lives until the next read.
  std::string_view from(std::uint64_t place) const {
    return std::string_view(m_bytes).substr(static_cast<std::size_t>(place), static_cast<std::size_t>(m_at - place));
  }

  /// All that was read.
  std::string take() { return std::move(m_bytes); }

 private:
  void need(std::uint64_t bytes, std::string_view what);

  const File& m_file;
  std::string m_bytes;
  std::uint64_t m_at = 0;
};

}  // namespace core::checkpoint
