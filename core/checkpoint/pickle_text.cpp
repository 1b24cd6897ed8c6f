#include "core/checkpoint/pickle_text.h"

#include <cstdint>

#include "core/tokenizer/utf8.h"

namespace core::checkpoint::pickle {

namespace {

int hexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

/// Reads `count` hexadecimal digits at text[at]; -1 when they are not there.
std::int64_t hexNumber(std::string_view text, std::size_t at, std::size_t count) {
  if (count > text.size() - at) return -1;
  std::int64_t number = 0;
  for (const char digit : text.substr(at, count)) {
    if (hexDigit(digit) < 0) return -1;
    number = number * 16 + hexDigit(digit);
  }
  return number;
}

}  // namespace

std::string withoutStringEscapes(std::string_view text) {
  constexpr std::string_view kLetters = "nrtabfv\\'\"", kMeanings = "\n\r\t\a\b\f\v\\'\"";
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else if (const std::size_t letter = kLetters.find(text[i + 1]); letter != std::string_view::npos) {
      plain += kMeanings[letter];
      ++i;
    } else if (const std::int64_t byte = hexNumber(text, i + 2, 2); text[i + 1] == 'x' && byte >= 0) {
      plain += static_cast<char>(byte);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::string withoutUnicodeEscapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digits = text.substr(i).starts_with("\\u") ? 4 : text.substr(i).starts_with("\\U") ? 8 : 0;
    const std::int64_t number = digits > 0 ? hexNumber(text, i + 2, digits) : -1;
    if (number >= 0 && number <= 0x10ffff) {
      tokenizer::appendUtf8(plain, static_cast<char32_t>(number));
      i += 1 + digits;
    } else {
      tokenizer::appendUtf8(plain, static_cast<unsigned char>(text[i]));
    }
  }
  return plain;
}

}  // namespace core::checkpoint::pickle
