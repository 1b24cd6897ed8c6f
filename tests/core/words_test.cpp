// Which tokens make a word, as a reader of English or Chinese sees them.
#include "core/words.h"

#include <gmock/gmock.h>

namespace core {
namespace {

std::vector<TokenText> tokens(const std::vector<std::string>& pieces) {
  std::vector<TokenText> texts;
  for (const std::string& piece : pieces) texts.push_back({0, piece, piece});
  return texts;
}

/// The words with "|" between their pieces.
std::vector<std::string> words(const std::vector<std::string>& pieces) {
  std::vector<std::string> result;
  Position next = 0;
  for (const Word& word : wordsOf(tokens(pieces))) {
    EXPECT_EQ(word.tokens.begin, next) << "no token is left out or counted twice";
    std::string text;
    for (Position i = word.tokens.begin; i < word.tokens.end; ++i) {
      if (i > word.tokens.begin) text += "|";
      text += pieces[static_cast<std::size_t>(i)];
    }
    result.push_back(text);
    next = word.tokens.end;
  }
  EXPECT_EQ(next, static_cast<Position>(pieces.size()));
  return result;
}

using ::testing::ElementsAre;

TEST(Words, PiecesOfByteLevelBpeCloseToWords) {
  EXPECT_THAT(words({"Un", "believ", "able", ",", " he", " did", "n", "'t", " go", "."}),
              ElementsAre("Un|believ|able", ",", " he", " did|n|'t", " go", "."));
}

TEST(Words, CharactersCloseToWordsAndASpaceBelongsToTheNext) {
  EXPECT_THAT(words({"T", "o", " ", "b", "e", ",", "\n", "o", "r"}), ElementsAre("T|o", " |b|e", ",", "\n", "o|r"));
}

TEST(Words, ChineseAndJapaneseCharactersStandAlone) {
  EXPECT_THAT(words({"你好", "世", "界", "。", "カ", " café"}), ElementsAre("你好", "世", "界", "。", "カ", " café"));
}

TEST(Words, PartsOfOneCharacterAreOneWord) {
  EXPECT_THAT(words({"\xe4\xbd", "\xa0", "好", " x"}), ElementsAre("\xe4\xbd|\xa0", "好", " x"));
}

TEST(Words, TokensWithoutBytesAndBytesThatAreNoText) {
  const std::vector<Word> two = wordsOf({{50300, "", "#50300"}, {1, "a", "a"}, {2, "b", "b"}});
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].label, "#50300");
  EXPECT_EQ(two[1].label, "ab");
  EXPECT_THAT(words({"\xff", "\xfe", "."}), ElementsAre("\xff|\xfe", "."));
}

TEST(Words, LabelsAreVisibleText) {
  const std::vector<Word> all = wordsOf(tokens({" un", "do", "\n", "\n"}));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].label, "␣undo");
  EXPECT_EQ(all[1].label, "⏎⏎");
}

TEST(Words, NothingHasNoWords) { EXPECT_TRUE(wordsOf({}).empty()); }

}  // namespace
}  // namespace core
