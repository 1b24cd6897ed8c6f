// The first symbols of a piece where tokens are made of characters, as in Llama 2, and not of bytes.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "core/tokenizer/merger.h"

namespace core::tokenizer {

/// What becomes of several unknown characters in a row.
enum class UnknownInARow { OneEach, Fused };

struct CharacterSymbols {
  CharacterSymbols() { bytes.fill(kNoSymbol); }

  std::unordered_map<char32_t, Symbol> ids;  ///< of the characters that are tokens
  std::array<Symbol, 256> bytes;             ///< "byte fallback": of a byte of another character
  Symbol unknown = kNoSymbol;                ///< of a character that lacks one of these too
  UnknownInARow unknownInARow = UnknownInARow::OneEach;
};

/// Adds the symbols of a piece in the order of Hugging Face's tokenizers. A byte that is not UTF-8 is a character by
/// itself. Calls missing() for each character that has no symbol at all.
void addSymbols(std::string_view piece, const CharacterSymbols& symbols, Merger& merger,
                const std::function<void(std::string_view character)>& missing);

}  // namespace core::tokenizer
