#include "core/tokenizer/token_label.h"

#include <gtest/gtest.h>

#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/utf8.h"

namespace core::tokenizer {
namespace {

std::vector<std::string> labels(const std::vector<std::string>& bytes) {
  std::vector<std::string> result;
  for (const TokenText& token : labelTokens(std::vector<TokenId>(bytes.size(), 17), bytes))
    result.push_back(token.label);
  return result;
}

using Labels = std::vector<std::string>;

TEST(TokenLabel, IsDecodedTextWithMarksForWhiteSpace) {
  EXPECT_EQ(labels({" Murray", "án", "\n", "\t\tx", "a b", "你好"}),
            (Labels{"␣Murray", "án", "⏎", "⇥⇥x", "a␣b", "你好"}));
}

TEST(TokenLabel, KeepsIdAndBytes) {
  const std::vector<TokenText> tokens = labelTokens({5, 9}, {" a", "b"});
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].id, 5);
  EXPECT_EQ(tokens[0].bytes, " a");
  EXPECT_EQ(tokens[1].id, 9);
}

TEST(TokenLabel, ShowsThePartsOfACharacterAndTheCharacter) {
  EXPECT_EQ(labels({"\xE4\xBD", "\xA0"}), (Labels{"\\xe4\\xbd(你)", "\\xa0(你)"}));
  EXPECT_EQ(labels({" \xF0\x9F", "\x98", "\x80!"}), (Labels{"␣\\xf0\\x9f(😀)", "\\x98(😀)", "\\x80(😀)!"}));
  // The character may itself be one that can't be seen.
  EXPECT_EQ(labels({"\xE2\x80", "\x8D"}), (Labels{"\\xe2\\x80(\\u200d)", "\\x8d(\\u200d)"}));
}

TEST(TokenLabel, ShowsBytesThatBelongToNoCharacterAlone) {
  EXPECT_EQ(labels({"\xFF", "a\x80", "\xE4\xBD", "x"}), (Labels{"\\xff", "a\\x80", "\\xe4\\xbd", "x"}));
  EXPECT_EQ(labels({"\xE4\xBD"}), (Labels{"\\xe4\\xbd"}));
}

TEST(TokenLabel, EscapesWhatCannotBeSeen) {
  EXPECT_EQ(
      labels({"\u200d", "\u200b", "\ufeff", "\u202e", "\u2066", "\r", "\x7f", "\u0085", "\u00a0", "\u3000", "\u00ad"}),
      (Labels{"\\u200d", "\\u200b", "\\ufeff", "\\u202e", "\\u2066", "\\u000d", "\\u007f", "\\u0085", "\\u00a0",
              "\\u3000", "\\u00ad"}));
  EXPECT_EQ(labels({std::string(1, '\0'), "\U000e0001", "\ufe0f", "\u3164", "\u2800"}),
            (Labels{"\\u0000", "\\U000e0001", "\\ufe0f", "\\u3164", "\\u2800"}));
}

TEST(TokenLabel, DrawsALoneCombiningMarkOnACircle) {
  EXPECT_EQ(labels({"e\u0301", "\u0301s"}), (Labels{"e\u0301", "\u25cc\u0301s"}));
}

TEST(TokenLabel, NeverShowsAReplacementMark) {
  EXPECT_EQ(labels({"\ufffd"}), (Labels{"\\ufffd"}));
  EXPECT_EQ(labels({"\xEF\xBF", "\xBD"}), (Labels{"\\xef\\xbf(\\ufffd)", "\\xbd(\\ufffd)"}));
}

TEST(TokenLabel, OfATokenWithoutBytesIsItsId) { EXPECT_EQ(labelTokens({50300}, {""})[0].label, "#50300"); }

TEST(TokenLabel, OfAnEmptySequenceIsEmpty) { EXPECT_TRUE(labelTokens({}, {}).empty()); }

// Every token of GPT-2 alone, and next to each of its neighbours in the table.
TEST(TokenLabel, IsUtf8AndNotEmptyForEveryTokenOfGpt2) {
  std::vector<TokenId> ids;
  std::vector<std::string> bytes;
  const auto tokenizer = gpt2Tokenizer();
  for (TokenId id = 0; id < tokenizer->size(); ++id) {
    ids.push_back(id);
    bytes.push_back(tokenizer->bytes(id));
  }
  const std::vector<TokenText> together = labelTokens(ids, bytes);
  ASSERT_EQ(together.size(), 50257u);
  for (std::size_t id = 0; id < together.size(); ++id) {
    for (const std::string& label : {together[id].label, labels({bytes[id]})[0]}) {
      ASSERT_FALSE(label.empty()) << id;
      for (std::size_t i = 0; i < label.size();) {
        const CodePoint point = codePointAt(label, i);
        ASSERT_TRUE(point.valid) << id;
        ASSERT_TRUE(point.value > 0x20 && point.value != 0xFFFD) << id;
        i += point.length;
      }
    }
  }
}

TEST(VisibleText, ShowsAWholeTextTheSameWay) { EXPECT_EQ(visibleText("a b\n\xFF\u200d"), "a␣b⏎\\xff\\u200d"); }

}  // namespace
}  // namespace core::tokenizer
