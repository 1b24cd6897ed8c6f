#include "core/tokenizer/utf8.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

TEST(CodePointAt, ReadsEveryLength) {
  for (const auto& [text, value] :
       {std::pair{"a", U'a'}, {"é", U'é'}, {"你", U'你'}, {"😀", U'😀'}, {"\U0010ffff", U'\U0010ffff'}}) {
    const CodePoint point = codePointAt(text, 0);
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, value);
    EXPECT_EQ(point.length, std::string_view(text).size());
  }
}

TEST(CodePointAt, TakesOneByteOfWhatIsNotUtf8) {
  // Overlong, surrogate, past U+10FFFF, lone continuation, never used, cut short, wrong continuation.
  for (const std::string_view text :
       {"\xC0\xAF", "\xE0\x80\xAF", "\xF0\x80\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
        "\xF8\x88\x80\x80\x80", "\xFF", "\xE4\xBD", "\xC3", "\xC3(", "\xE4\xBD("}) {
    const CodePoint point = codePointAt(text, 0);
    EXPECT_FALSE(point.valid) << text;
    EXPECT_EQ(point.length, 1u);
  }
}

TEST(CodePointAt, LooksAtNothingBehindTheText) {
  const std::string_view whole = "\u00e9\u4f60";
  for (const auto& [at, length] : {std::pair(0u, 1u), {2u, 1u}, {2u, 2u}}) {
    const CodePoint point = codePointAt(whole.substr(0, at + length), at);
    EXPECT_FALSE(point.valid) << length << " of the bytes from " << at;
    EXPECT_EQ(point.length, 1u);
  }
}

TEST(AppendUtf8, WritesWhatCodePointAtReads) {
  for (const char32_t value :
       {U'\0', U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010ffff'}) {
    std::string text;
    appendUtf8(text, value);
    const CodePoint point = codePointAt(text, 0);
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, value);
    EXPECT_EQ(point.length, text.size());
  }
}

}  // namespace
}  // namespace core::tokenizer
