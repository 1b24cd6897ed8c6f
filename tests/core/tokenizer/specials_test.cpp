// Special tokens that a text spells. Expected ids are those of tiktoken's encode(text, allowed_special="all"), and of
// encode_ordinary where special tokens are text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/char_tokenizer.h"

namespace core::tokenizer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Ids = std::vector<TokenId>;

Ids encode(std::string_view text) { return gpt2Tokenizer()->encode(text, Specials::Tokens).ids; }

TEST(Specials, Gpt2HasOneAndItIsTextUnlessAskedFor) {
  EXPECT_THAT(gpt2Tokenizer()->specials(), ElementsAre(50256));
  EXPECT_EQ(encode("<|endoftext|>"), (Ids{50256}));
  EXPECT_EQ(gpt2Tokenizer()->encode("<|endoftext|>", Specials::AsUpstream).ids, (Ids{27, 91, 437, 1659, 5239, 91, 29}));
}

TEST(Specials, WhatStandsBesideOneIsATextByItself) {
  EXPECT_EQ(encode("Hello<|endoftext|>world"), (Ids{15496, 50256, 6894}));
  // The space of "Hello " is a piece of its own: no word follows it.
  EXPECT_EQ(encode("Hello <|endoftext|> world"), (Ids{15496, 220, 50256, 995}));
  EXPECT_EQ(encode("\n<|endoftext|>\n"), (Ids{198, 50256, 198}));
  EXPECT_EQ(encode("\n\n"), (Ids{628})) << "without a token between them";
  EXPECT_EQ(encode("<|endoftext|><|endoftext|>"), (Ids{50256, 50256}));
}

TEST(Specials, APartOfASpellingOrAnotherOneIsText) {
  EXPECT_EQ(encode("<|endoftext|"), (Ids{27, 91, 437, 1659, 5239, 91}));
  EXPECT_EQ(encode("<<|endoftext|>>"), (Ids{27, 50256, 29}));
  for (const char* text : {"<|EndOfText|>", "<|bos|>", "<| endoftext|>", "<|endoftext<|endoftext", ""}) {
    EXPECT_EQ(encode(text), gpt2Tokenizer()->encode(text).ids) << text;
  }
}

TEST(Specials, BytesThatAreNotUtf8StayThemselvesBesideOne) {
  EXPECT_EQ(encode("\xC3\xA9"), (Ids{2634}));
  EXPECT_EQ(encode("\xC3<|endoftext|>\xA9"), (Ids{127, 50256, 102}));
  EXPECT_EQ(encode("Hello\xFF<|endoftext|>"), (Ids{15496, 187, 50256}));
  EXPECT_EQ(encode(std::string_view("\0<|endoftext|>\0", 15)), (Ids{188, 50256, 188}));
}

/// All bytes, "ab", and special tokens from the id 300 on, some of which overlap.
std::shared_ptr<const Tokenizer> withSpecials(const std::vector<std::string>& spellings, WholePieces wholePieces) {
  ByteBpeParts parts;
  for (int byte = 0; byte < 256; ++byte) parts.tokens.emplace_back(1, static_cast<char>(byte));
  parts.tokens.emplace_back("ab");
  parts.merges.set('a', 'b', {0, 256});
  parts.wholePieces = wholePieces;
  parts.tokens.resize(300 + spellings.size());
  for (const std::string& spelling : spellings) {
    const auto id = static_cast<TokenId>(300 + parts.specials.size());
    parts.spelled.emplace(id, spelling);
    parts.specials.push_back(id);
  }
  return makeByteBpe(std::move(parts));
}

TEST(Specials, OfSpellingsThatOverlapTheFirstCountsAndOfThoseThatBeginTogetherTheLongest) {
  for (const WholePieces pieces : {WholePieces::Merged, WholePieces::LookedUp}) {
    const auto tokenizer = withSpecials({"<a>", "<a><b>", "<b>", "b><", "ab"}, pieces);
    const auto ids = [&](std::string_view text) { return tokenizer->encode(text, Specials::Tokens).ids; };
    EXPECT_THAT(tokenizer->specials(), ElementsAre(300, 301, 302, 303, 304));
    EXPECT_EQ(ids("<a>"), (Ids{300}));
    EXPECT_EQ(ids("<a><b>"), (Ids{301}));
    EXPECT_EQ(ids("<a><a><b><b>"), (Ids{300, 301, 302}));
    EXPECT_EQ(ids("<a><b"), (Ids{300, '<', 'b'}));
    EXPECT_EQ(ids("<b><a>"), (Ids{302, 300})) << "and not '<', 'b><', 'a', '>'";
    EXPECT_EQ(ids("b><a>"), (Ids{303, 'a', '>'}));
    EXPECT_EQ(ids("ab"), (Ids{304})) << "a special token before one of text";
    EXPECT_EQ(tokenizer->encode("<a>ab").ids, (Ids{'<', 'a', '>', 256}));
  }
}

TEST(Specials, NoMergeCrossesOne) {
  const auto tokenizer = withSpecials({"|"}, WholePieces::Merged);
  EXPECT_EQ(tokenizer->encode("ab|a|b", Specials::Tokens).ids, (Ids{256, 300, 'a', 300, 'b'}));
}

TEST(Specials, ATokenizerOfCharactersHasNone) {
  const auto tokenizer = makeCharTokenizer({"<", "a", ">"});
  EXPECT_THAT(tokenizer->specials(), IsEmpty());
  EXPECT_EQ(tokenizer->encode("<a>", Specials::Tokens).ids, (Ids{0, 1, 2}));
}

}  // namespace
}  // namespace core::tokenizer
