#include "core/tokenizer/normalizer.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

TEST(Normalized, IsTheFormOfUnicode) {
  EXPECT_EQ(normalized("e\u0301", NormalForm::Nfc), "é");
  EXPECT_EQ(normalized("é", NormalForm::Nfd), "e\u0301");
  EXPECT_EQ(normalized("ﬁ½", NormalForm::Nfc), "ﬁ½");
  EXPECT_EQ(normalized("ﬁ½", NormalForm::Nfkc), "fi1\u20442");
  EXPECT_EQ(normalized("ﬁé", NormalForm::Nfkd), "fie\u0301");
  EXPECT_EQ(normalized("\u1112\u1161\u11ab", NormalForm::Nfc), "한");
  EXPECT_EQ(normalized("plain text\n", NormalForm::Nfkd), "plain text\n");
  EXPECT_EQ(normalized("", NormalForm::Nfc), "");
}

TEST(Normalized, PutsMarksInTheirOrder) {
  EXPECT_EQ(normalized("q\u0301\u0323", NormalForm::Nfd), "q\u0323\u0301");
  EXPECT_EQ(normalized("q\u0301\u0300", NormalForm::Nfd), "q\u0301\u0300") << "marks of one class stay";
}

TEST(Normalized, KeepsBytesThatAreNotUtf8AndJoinsNothingAcrossThem) {
  EXPECT_EQ(normalized("e\xFF\u0301\xE4", NormalForm::Nfc), "e\xFF\u0301\xE4");
  EXPECT_EQ(normalized("e\u0301\x80o\u0308", NormalForm::Nfc), "é\x80ö");
}

// Swapping neighbours, half a million marks would take hours.
TEST(Normalized, SortsAMegabyteOfMarks) {
  std::string text = "a", low, high;
  for (int i = 0; i < 262'144; ++i) {
    text += "\u0301\u0323";
    low += "\u0323";
    high += "\u0301";
  }
  EXPECT_EQ(normalized(text, NormalForm::Nfd), "a" + low + high);
}

TEST(Normalized, TakesStepsOneAfterAnother) {
  const auto after = [](std::string_view text, const std::vector<NormalStep>& steps) {
    return normalized(text, steps);
  };
  EXPECT_EQ(after("a b", {PrependText{"_"}, ReplaceText{" ", "_"}}), "_a_b");
  EXPECT_EQ(after("a b", {ReplaceText{" ", "_"}, PrependText{" "}}), " a_b");
  EXPECT_EQ(after("", {PrependText{"_"}}), "");
  EXPECT_EQ(after("e\u0301x", {NormalForm::Nfc, ReplaceText{"é", "e"}}), "ex");
  EXPECT_EQ(after("a", {}), "a");
}

TEST(Normalized, ReplacesFromTheLeftAndDoesNotLookAgain) {
  const auto replaced = [](std::string_view text, const std::string& pattern, const std::string& content) {
    return normalized(text, {ReplaceText{pattern, content}});
  };
  EXPECT_EQ(replaced("aaaaa", "aa", "a"), "aaa");
  EXPECT_EQ(replaced("aba", "a", ""), "b");
  EXPECT_EQ(replaced("\xFF é\xC3", "é", "e"), "\xFF e\xC3");
  EXPECT_EQ(replaced("", "a", "b"), "");
}

}  // namespace
}  // namespace core::tokenizer
