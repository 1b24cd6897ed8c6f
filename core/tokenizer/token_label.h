// How tokens are shown: decoded text in which nothing is invisible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/token_text.h"

namespace core::tokenizer {

/// The bytes as text in which everything can be seen: space as U+2423, newline U+23CE, tab U+21E5; control, zero-width,
/// direction and unassigned characters, other spaces and U+FFFD as "\u200d"; bytes that are not UTF-8 as "\xff".
std::string visibleText(std::string_view bytes);

/// Labels of a sequence of tokens. A token with part of a character shows these bytes and, in brackets, the character
/// that its neighbours complete: "\xe4\xbd(你)". A token without bytes shows its id: "#50300". Never empty.
/// ids and bytes have the same length.
std::vector<TokenText> labelTokens(const std::vector<TokenId>& ids, const std::vector<std::string>& bytes);

}  // namespace core::tokenizer
