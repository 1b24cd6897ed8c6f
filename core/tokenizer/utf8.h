// UTF-8, one code point at a time, for bytes that may not be UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace core::tokenizer {

struct CodePoint {
  char32_t value = 0;      ///< the byte itself when not valid
  std::size_t length = 1;  ///< bytes taken; 1 when not valid
  bool valid = false;
};

/// The code point that starts at text[at]. Overlong forms, surrogates and values past U+10FFFF are not valid, byte by
/// byte.
CodePoint codePointAt(std::string_view text, std::size_t at);

void appendUtf8(std::string& text, char32_t value);

}  // namespace core::tokenizer
