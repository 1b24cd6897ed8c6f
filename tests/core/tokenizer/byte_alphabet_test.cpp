#include "core/tokenizer/byte_alphabet.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

TEST(ByteAlphabet, LettersStandForBytes) {
  EXPECT_EQ(bytesOfLetters("\u0120a\u010a\u00ff"), " a\n\xff");
  EXPECT_EQ(bytesOfLetters("\u0143"), "\xad") << "the last one";
  EXPECT_EQ(bytesOfLetters(""), "");
}

TEST(ByteAlphabet, OtherCharactersStandForNone) {
  for (const char* text : {" ", "a b", "\n", "\u00ad", "\u0144", "\u4f60", "\xc3", "\xff"}) {
    EXPECT_FALSE(bytesOfLetters(text)) << text;
  }
}

}  // namespace
}  // namespace core::tokenizer
