// Splits text into the pieces that byte-pair merges never cross.
#pragma once

#include <functional>
#include <string_view>

#include "core/tokenizer/unicode_regex.h"

namespace core::tokenizer {

/// The split rule of GPT-2: contractions, words, numbers and other signs with one leading space, and white space.
/// Source: OpenAI gpt-2, encoder.py.
class Pretokenizer {
 public:
  Pretokenizer();

  /// Calls piece() for each piece in order; together they are exactly the text.
  /// Bytes that are not UTF-8 split like U+FFFD, which a decoder would put in their place, but stay themselves.
  void split(std::string_view text, const std::function<void(std::string_view piece)>& piece) const;

 private:
  UnicodeRegex m_pattern;
};

}  // namespace core::tokenizer
