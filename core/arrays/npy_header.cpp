#include "core/arrays/npy_header.h"

#include <fmt/format.h>

#include <optional>

#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::arrays {

using checkpoint::grouped;
using checkpoint::inQuotes;

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLargestHeader = 65'535;
constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit before version 2

/// The dictionary as far as it has been read.
class Literal {
 public:
  Literal(std::string_view text, const std::string& origin) : m_text(text), m_origin(origin) {}

  NpyHeader dictionary() {
    expect('{');
    std::optional<ElementType> type;
    std::optional<Order> order;
    std::optional<std::vector<std::int64_t>> shape;
    while (!takes('}')) {
      const std::string key(string());
      expect(':');
      if (key == "descr" && !type) {
        type = elementType();
      } else if (key == "fortran_order" && !order) {
        order = boolean() ? Order::Fortran : Order::C;
      } else if (key == "shape" && !shape) {
        shape = tuple();
      } else {
        fail(fmt::format(
            "has the key {} {}", inQuotes(key),
            key == "descr" || key == "fortran_order" || key == "shape" ? "twice" : "that no .npy file has"));
      }
      if (!takes(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (m_at != m_text.size()) fail(fmt::format("goes on after its dictionary, at byte {}", m_at));
    if (!type || !order || !shape) {
      fail(fmt::format("lacks the key '{}'", !type ? "descr" : !order ? "fortran_order" : "shape"));
    }
    return {*type, *order, *shape, 0};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::Corrupt, fmt::format("{}: the header {}. Save the array again with numpy.save or "
                                                "numpy.savez.",
                                                m_origin, what));
  }

  void skipSpace() {
    while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) ++m_at;
  }

  bool takes(char wanted) {
    skipSpace();
    if (m_at >= m_text.size() || m_text[m_at] != wanted) return false;
    ++m_at;
    return true;
  }

  void expect(char wanted) {
    if (!takes(wanted)) fail(fmt::format("has no '{}' at byte {}", wanted, m_at));
  }

  /// Without escapes, which no header needs.
  std::string_view string() {
    skipSpace();
    const char quote = m_at < m_text.size() ? m_text[m_at] : '\0';
    const std::size_t end = quote == '\'' || quote == '"' ? m_text.find(quote, m_at + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail(fmt::format("has no text in quotes at byte {}", m_at));
    const std::string_view text = m_text.substr(m_at + 1, end - m_at - 1);
    if (text.find('\\') != std::string_view::npos) fail(fmt::format("has a backslash in the text at byte {}", m_at));
    m_at = end + 1;
    return text;
  }

  ElementType elementType() {
    skipSpace();
    if (m_at < m_text.size() && m_text[m_at] == '[') {
      throw Error(
          ErrorKind::Unsupported,
          fmt::format("{}: its elements are records of several values. Save the weights alone, as float32.", m_origin));
    }
    const std::string_view text = string();
    const auto type = elementTypeOf(text);
    if (!type) fail(fmt::format("names the type {}, which NumPy does not have", inQuotes(text)));
    return *type;
  }

  bool boolean() {
    skipSpace();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (!m_text.substr(m_at).starts_with(word)) continue;
      m_at += word.size();
      return value;
    }
    fail(fmt::format("has neither True nor False at byte {}", m_at));
  }

  std::int64_t number() {
    skipSpace();
    const std::size_t begin = m_at;
    std::int64_t value = 0;
    for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at) {
      const int digit = m_text[m_at] - '0';
      if (value > (INT64_MAX - digit) / 10) fail(fmt::format("has a size above 2^63 at byte {}", begin));
      value = value * 10 + digit;
    }
    if (m_at == begin) fail(fmt::format("has no size at byte {}", begin));
    return value;
  }

  std::vector<std::int64_t> tuple() {
    expect('(');
    std::vector<std::int64_t> sizes;
    while (!takes(')')) {
      if (sizes.size() == kMostDimensions) fail(fmt::format("has more than {} dimensions", kMostDimensions));
      sizes.push_back(number());
      if (takes(',')) continue;
      if (sizes.size() == 1) fail(fmt::format("has a size in brackets, no tuple, at byte {}", m_at));
      expect(')');
      break;
    }
    return sizes;
  }

  std::string_view m_text;
  const std::string& m_origin;
  std::size_t m_at = 0;
};

}  // namespace

bool looksLikeNpy(std::string_view head) { return head.starts_with(kMagic); }

NpyHeader readNpyHeader(const std::function<std::string(std::uint64_t)>& read, const std::string& origin) {
  const std::string head = read(kMagic.size() + 2);
  if (!looksLikeNpy(head)) {
    throw Error(ErrorKind::Corrupt,
                fmt::format("{}: it begins with {}, not as NumPy's arrays do. Save it again with numpy.save or "
                            "numpy.savez.",
                            origin, inQuotes(std::string_view(head).substr(0, kMagic.size()))));
  }
  const auto major = static_cast<unsigned char>(head[6]);
  const auto minor = static_cast<unsigned char>(head[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(
        ErrorKind::Unsupported,
        fmt::format("{}: it is of version {}.{} of NumPy's format; 1.0, 2.0 and 3.0 are read. Save it again with "
                    "numpy.save.",
                    origin, major, minor));
  }
  const std::uint64_t lengthBytes = major == 1 ? 2 : 4;
  const std::string lengthText = read(lengthBytes);
  const std::uint64_t length =
      major == 1 ? checkpoint::little<std::uint16_t>(lengthText, 0) : checkpoint::little<std::uint32_t>(lengthText, 0);
  if (length > kLargestHeader) {
    throw Error(ErrorKind::TooLarge,
                fmt::format("{}: its header is said to have {} bytes; the limit is {}. An array's header has about a "
                            "hundred: don't use this file.",
                            origin, grouped(length), grouped(kLargestHeader)));
  }
  const std::string text = read(length);
  NpyHeader header = Literal(text, origin).dictionary();
  header.dataOffset = head.size() + lengthBytes + length;
  return header;
}

}  // namespace core::arrays
