// Which tokens together are a word.
#pragma once

#include <string>
#include <vector>

#include "core/attention_mask.h"
#include "core/token_text.h"

namespace core {

struct Word {
  PositionRange tokens;  ///< its pieces
  std::string label;     ///< as TokenText::label
};

/// The words of a text, one after the other; every token is in exactly one, that of its first byte. A word is a run of
/// letters, marks, digits and inner apostrophes, a single character of Chinese or Japanese, or a run of other signs; a
/// space belongs to the word after it, and line breaks stand alone. A token without bytes is a word.
std::vector<Word> wordsOf(const std::vector<TokenText>& tokens);

}  // namespace core
