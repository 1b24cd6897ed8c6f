#include "core/tokenizer/character_symbols.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

using Ids = std::vector<TokenId>;
using Missing = std::vector<std::string>;

constexpr TokenId kUnknown = 9;

/// "a" and "é" are tokens, and the bytes of "è" are.
CharacterSymbols fewSymbols(UnknownInARow unknownInARow) {
  CharacterSymbols symbols;
  symbols.ids = {{U'a', 1}, {U'é', 2}};
  symbols.bytes[0xC3] = 3;
  symbols.bytes[0xA8] = 4;
  symbols.unknown = kUnknown;
  symbols.unknownInARow = unknownInARow;
  return symbols;
}

Ids symbolsOf(std::string_view piece, const CharacterSymbols& symbols, Missing& missing) {
  const MergeTable none;
  Merger merger(none);
  addSymbols(piece, symbols, merger, [&](std::string_view character) { missing.emplace_back(character); });
  Ids ids;
  merger.finish(ids);
  return ids;
}

Ids symbolsOf(std::string_view piece, UnknownInARow unknownInARow) {
  Missing missing;
  Ids ids = symbolsOf(piece, fewSymbols(unknownInARow), missing);
  EXPECT_EQ(missing, Missing{});
  return ids;
}

TEST(CharacterSymbols, AreThoseOfCharactersElseOfTheirBytes) {
  EXPECT_EQ(symbolsOf("aéè", UnknownInARow::Fused), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(symbolsOf("", UnknownInARow::Fused), Ids{});
}

// "ê" has one of its two bytes.
TEST(CharacterSymbols, AreTheUnknownOneWhereAByteIsMissingToo) {
  EXPECT_EQ(symbolsOf("aêa", UnknownInARow::Fused), (Ids{1, kUnknown, 1}));
  EXPECT_EQ(symbolsOf("ê你ba", UnknownInARow::Fused), (Ids{kUnknown, 1}));
  EXPECT_EQ(symbolsOf("ê你ba", UnknownInARow::OneEach), (Ids{kUnknown, kUnknown, kUnknown, 1}));
  EXPECT_EQ(symbolsOf("abc", UnknownInARow::Fused), (Ids{1, kUnknown}));
}

// As tokenizers 0.23 does it: <unk> waits for the next character that is a token.
TEST(CharacterSymbols, PutBytesBeforeAnUnknownOneThatWaits) {
  EXPECT_EQ(symbolsOf("bèba", UnknownInARow::Fused), (Ids{3, 4, kUnknown, 1}));
  EXPECT_EQ(symbolsOf("bèba", UnknownInARow::OneEach), (Ids{3, 4, kUnknown, kUnknown, 1}));
}

TEST(CharacterSymbols, R4_ABadByteIsACharacterByItself) {
  EXPECT_EQ(symbolsOf("a\xC3"
                      "a\xA8",
                      UnknownInARow::Fused),
            (Ids{1, 3, 1, 4}));
  EXPECT_EQ(symbolsOf("\xFF\xE4\xBD", UnknownInARow::OneEach), (Ids{kUnknown, kUnknown, kUnknown}));
  EXPECT_EQ(symbolsOf("\xE9", UnknownInARow::Fused), (Ids{kUnknown})) << "the number of a letter that is known";
}

TEST(CharacterSymbols, WithoutAnUnknownOneTheCharacterIsNamed) {
  CharacterSymbols symbols = fewSymbols(UnknownInARow::Fused);
  symbols.unknown = kNoSymbol;
  Missing missing;
  EXPECT_EQ(symbolsOf("a你è\xFF", symbols, missing), (Ids{1, 3, 4}));
  EXPECT_EQ(missing, (Missing{"你", "\xFF"}));
}

}  // namespace
}  // namespace core::tokenizer
