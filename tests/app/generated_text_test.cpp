// Bytes of tokens as text: what a terminal gets, and when.
#include <gtest/gtest.h>

#include <sstream>

#include "app/generate_command.h"
#include "app/utf8_stream.h"

namespace app {
namespace {

TEST(Utf8Stream, HoldsACharacterBackUntilItIsWhole) {
  Utf8Stream stream;
  EXPECT_EQ(stream.add("a\xe2"), "a");
  EXPECT_EQ(stream.add("\x82"), "");
  EXPECT_EQ(stream.add("\xac!"), "\xe2\x82\xac!");  // the euro sign
  EXPECT_EQ(stream.add("\xf0\x9f\x99\x82"), "\xf0\x9f\x99\x82");
  EXPECT_EQ(stream.end(), "");
}

TEST(Utf8Stream, EscapesWhatIsStillNotWholeAtTheEnd) {
  Utf8Stream stream;
  EXPECT_EQ(stream.add("a\xf0\x9f\x99"), "a");
  EXPECT_EQ(stream.end(), "\\xf0\\x9f\\x99");
  EXPECT_EQ(stream.end(), "");
}

TEST(Utf8Stream, EscapesBytesThatCanNotBecomeACharacter) {
  // A lone continuation, an overlong "/", a surrogate, beyond U+10FFFF, a first byte that none follows.
  const std::pair<const char*, const char*> rows[] = {{"\x80z", "\\x80z"},
                                                      {"\xc0\xaf", "\\xc0\\xaf"},
                                                      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                                                      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
                                                      {"\xe2\x28", "\\xe2("}};
  for (const auto& [bytes, shown] : rows) EXPECT_EQ(Utf8Stream().add(bytes), shown);
}

TEST(Utf8Stream, EscapesControlsThatATerminalWouldObey) {
  EXPECT_EQ(Utf8Stream().add("a\x1b[2J\x7f\tb\r\n"), "a\\x1b[2J\\x7f\tb\r\n");
  EXPECT_EQ(Utf8Stream().add("\xc2\x9b\xc2\xa0"), "\\xc2\\x9b\xc2\xa0");
  EXPECT_EQ(Utf8Stream().add(std::string_view("\0", 1)), "\\x00");
}

TEST(GeneratedText, PrintsTokensAsTheyComeAndEndsItsLine) {
  std::ostringstream out;
  GeneratedText text(&out, GeneratedText::Shown::AsText);
  text.add({1, "He", "He"});
  EXPECT_EQ(out.str(), "He");
  text.add({2, "\xe2\x82", "x"});
  EXPECT_EQ(out.str(), "He");
  text.end();
  EXPECT_EQ(out.str(), "He\\xe2\\x82\n");
  const auto json = text.json({7, 8}, {.temperature = 0.5, .topK = 3, .seed = 9}, "count");
  EXPECT_EQ(json["prompt_tokens"], (std::vector{7, 8}));
  EXPECT_EQ(json["generated_tokens"], (std::vector{1, 2}));
  EXPECT_EQ(json["text"], "He\xe2\x82");
  EXPECT_EQ(json["sampling"]["temperature"], 0.5);
  EXPECT_EQ(json["sampling"]["top_k"], 3);
  EXPECT_EQ(json["sampling"]["seed"], 9);
}

TEST(GeneratedText, IsIdsWhereThereIsNoTokenizer) {
  std::ostringstream out;
  GeneratedText text(&out, GeneratedText::Shown::AsTokens);
  for (const core::TokenId id : {5, 6}) text.add({id, "", "#"});
  text.end();
  EXPECT_EQ(out.str(), "5,6\n");
  EXPECT_EQ(text.json({}, {}, "count")["text"], nullptr);
}

TEST(GeneratedText, WithoutTokensPrintsNothing) {
  std::ostringstream out;
  GeneratedText(&out, GeneratedText::Shown::AsText).end();
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace app
