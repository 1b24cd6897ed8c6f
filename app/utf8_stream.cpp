#include "app/utf8_stream.h"

#include <cstdio>
#include <utility>

namespace app {

namespace {

/// Bytes that may follow a first byte, the second one's range narrower where the Unicode standard has it so.
struct Lead {
  unsigned char first, last;  ///< of the first byte
  std::size_t length;         ///< of the whole character
  unsigned char secondFrom, secondTo;
};

// Source: The Unicode Standard, table 3-7.
constexpr Lead kLeads[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

enum class Form { Whole, Cut, Wrong };

/// How the text begins: with a character and its length, with the beginning of one, or with a byte that is neither.
std::pair<Form, std::size_t> beginningOf(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (const Lead& lead : kLeads) {
    if (byte(0) < lead.first || byte(0) > lead.last) continue;
    for (std::size_t at = 1; at < lead.length; ++at) {
      if (at == text.size()) return {Form::Cut, at};
      const unsigned char from = at == 1 ? lead.secondFrom : 0x80;
      const unsigned char to = at == 1 ? lead.secondTo : 0xbf;
      if (byte(at) < from || byte(at) > to) return {Form::Wrong, 1};
    }
    return {Form::Whole, lead.length};
  }
  return {Form::Wrong, 1};
}

bool isControl(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
  return byte == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;  // U+0080 .. U+009F
}

std::string escaped(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    char digits[5];
    std::snprintf(digits, sizeof digits, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += digits;
  }
  return text;
}

}  // namespace

std::string Utf8Stream::add(std::string_view bytes) {
  m_held += bytes;
  std::string text;
  std::string_view rest = m_held;
  while (!rest.empty()) {
    const auto [form, length] = beginningOf(rest);
    if (form == Form::Cut) break;
    const std::string_view piece = rest.substr(0, length);
    text += form == Form::Wrong || isControl(piece) ? escaped(piece) : std::string(piece);
    rest.remove_prefix(length);
  }
  m_held.erase(0, m_held.size() - rest.size());
  return text;
}

std::string Utf8Stream::end() { return escaped(std::exchange(m_held, {})); }

}  // namespace app
