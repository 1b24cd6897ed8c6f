#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

CodePoint codePointAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(at);
  if (first < 0x80) return {first, 1, true};

  std::size_t length = 0;
  char32_t value = 0;
  char32_t smallest = 0;  // below it the form is overlong
  if ((first & 0xE0) == 0xC0) {
    length = 2, value = first & 0x1F, smallest = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3, value = first & 0x0F, smallest = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4, value = first & 0x07, smallest = 0x10000;
  }
  const CodePoint invalid{first, 1, false};
  if (length == 0 || text.size() - at < length) return invalid;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return invalid;
    value = (value << 6) | (byte(at + i) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || value > 0x10FFFF || surrogate) return invalid;
  return {value, length, true};
}

void appendUtf8(std::string& text, char32_t value) {
  const auto add = [&](char32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (value < 0x80) {
    add(value);
  } else if (value < 0x800) {
    add(0xC0 | (value >> 6));
    add(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    add(0xE0 | (value >> 12));
    add(0x80 | ((value >> 6) & 0x3F));
    add(0x80 | (value & 0x3F));
  } else {
    add(0xF0 | (value >> 18));
    add(0x80 | ((value >> 12) & 0x3F));
    add(0x80 | ((value >> 6) & 0x3F));
    add(0x80 | (value & 0x3F));
  }
}

}  // namespace core::tokenizer
