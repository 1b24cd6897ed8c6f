// Where a text stands among the tokens of a prompt.
#pragma once

#include <QString>
#include <vector>

#include "core/attention_mask.h"
#include "core/key_set.h"
#include "core/token_text.h"

namespace widgets {

/// The places of `text` in the whole prompt, capital letters or not, each as the tokens that hold a part of it: a word
/// may be several tokens, and several words may be searched at once. Empty for an empty text.
std::vector<core::PositionRange> placesOf(const QString& text, const std::vector<core::TokenText>& tokens);

/// All tokens of the places.
core::KeySet tokensOf(const std::vector<core::PositionRange>& places);

}  // namespace widgets
