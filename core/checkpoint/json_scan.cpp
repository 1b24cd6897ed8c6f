#include "core/checkpoint/json_scan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

constexpr std::uint64_t kMostMemory = 224u << 20;  // of text and values together

/// Bytes of memory that a character stands for, once its value is built: measured with nlohmann::json and glibc.
constexpr std::uint64_t kObject = 64, kArray = 80, kMember = 64, kNext = 24, kString = 48, kInPlace = 15, kHeap = 16;

class Scan {
 public:
  Scan(std::string_view text, const std::string& origin, const JsonLimits& limits)
      : m_text(text), m_origin(origin), m_limits(limits), m_memory(text.size()) {}

  void run() {
    while (m_at < m_text.size()) step();
  }

 private:
  void step() {
    switch (m_text[m_at]) {
      case '"': string(); return;
      case '{': open(kObject); break;
      case '[': open(kArray); break;
      case '}':
      case ']':
        m_depth -= m_depth > 0 ? 1 : 0;
        m_justOpened = false;
        break;
      case ':': take(kMember); break;
      case ',':
        take(kNext);
        countValue();
        break;
      case ' ':
      case '\t':
      case '\r':
      case '\n': break;
      case '\0':
        throw Error(ErrorKind::Corrupt, fmt::format("{}: it is no JSON: byte {} is a NUL. Download or copy it again.",
                                                    m_origin, grouped(std::uint64_t{m_at})));
      default: scalar(); return;
    }
    ++m_at;
    // The parser keeps everything since the last string, number or word for its own messages.
    requireShort(m_at - m_lastValue, "white space and brackets");
  }

  void open(std::uint64_t memory) {
    countFirst();
    m_justOpened = true;
    take(memory);
    if (++m_depth > m_limits.depth) fail(fmt::format("it is nested deeper than {}", counted(m_limits.depth, "level")));
  }

  void string() {
    countFirst();
    const std::size_t begin = ++m_at;
    while (m_at < m_text.size() && m_text[m_at] != '"') m_at += m_text[m_at] == '\\' ? 2 : 1;
    m_at = std::min(m_at, m_text.size());
    const std::uint64_t length = m_at - begin;
    requireShort(length, "one string");
    take(kString + (length > kInPlace ? length + kHeap : 0));
    m_lastValue = m_at = std::min(m_at + 1, m_text.size());
  }

  /// A number, true, false or null; anything else up to the next sign of JSON too.
  void scalar() {
    countFirst();
    const std::size_t begin = m_at;
    m_at = std::min(m_text.find_first_of(std::string_view(" \t\r\n,:[]{}\"\0", 12), m_at), m_text.size());
    requireShort(m_at - begin, "one number or word");
    m_lastValue = m_at;
  }

  /// The first value of an array, or key of an object: the others come with a comma.
  void countFirst() {
    if (m_justOpened) countValue();
    m_justOpened = false;
  }

  void countValue() {
    if (++m_values > m_limits.values) fail(fmt::format("it has more than {}", counted(m_limits.values, "value")));
  }

  void take(std::uint64_t memory) {
    m_memory += memory;
    if (m_memory > kMostMemory) fail(fmt::format("its values need more than {} bytes of memory", grouped(kMostMemory)));
  }

  void requireShort(std::uint64_t length, std::string_view what) {
    if (length <= m_limits.stringBytes) return;
    fail(fmt::format("it has {} bytes of {}, the limit is {}", grouped(length), what, grouped(m_limits.stringBytes)));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::TooLarge,
                fmt::format("{}: {} (byte {}). No file of its kind needs that: download or copy it again.", m_origin,
                            what, grouped(std::uint64_t{m_at})));
  }

  std::string_view m_text;
  const std::string& m_origin;
  const JsonLimits& m_limits;
  std::size_t m_at = 0;
  std::size_t m_lastValue = 0;  ///< where the last string, number or word ended
  std::size_t m_depth = 0;
  bool m_justOpened = false;
  std::uint64_t m_values = 1;
  std::uint64_t m_memory = 0;
};

}  // namespace

void requireLimits(std::string_view text, const std::string& origin, const JsonLimits& limits) {
  Scan(text, origin, limits).run();
}

}  // namespace core::checkpoint
