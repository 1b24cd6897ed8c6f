#include "core/tokenizer/char_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/files.h"
#include "tests/support/reference.h"

namespace core::tokenizer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The vocabulary that nanoGPT's prepare.py makes of tinyshakespeare: its 65 characters, sorted.
std::vector<std::string> shakespeareCharacters() {
  std::vector<std::string> itos;
  for (const char c : std::string("\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
    itos.emplace_back(1, c);
  return itos;
}

TEST(CharTokenizer, IdsAreThePlacesInTheTable) {
  const auto tokenizer = makeCharTokenizer({"a", "é", "你", "😀"});
  EXPECT_THAT(tokenizer->encode("你a😀é").ids, ElementsAre(2, 0, 3, 1));
  EXPECT_EQ(tokenizer->bytes(2), "你");
  EXPECT_EQ(tokenizer->bytes(4), "");
  EXPECT_EQ(tokenizer->bytes(-1), "");
  EXPECT_EQ(tokenizer->bytes(std::numeric_limits<TokenId>::max()), "");
  EXPECT_EQ(tokenizer->bytes(std::numeric_limits<TokenId>::min()), "");
  EXPECT_EQ(tokenizer->size(), 4);
}

TEST(CharTokenizer, SaysHowManyCharactersItHas) {
  EXPECT_EQ(makeCharTokenizer(shakespeareCharacters())->description(), "65 characters");
  EXPECT_EQ(makeCharTokenizer({"a"})->description(), "1 character");
}

TEST(CharTokenizer, NamesWhatItCannotEncodeOnceAndInOrder) {
  const auto encoding = makeCharTokenizer({"a", "b"})
                            ->encode(
                                "a你b7你\a7\xFF\xE4\xBD"
                                "a");
  EXPECT_THAT(encoding.ids, ElementsAre(0, 1, 0));
  EXPECT_THAT(encoding.notEncodable, ElementsAre("你", "7", "\\u0007", "\\xff", "\\xe4", "\\xbd"));
}

TEST(CharTokenizer, TrimsNothing) {
  const auto tokenizer = makeCharTokenizer({" ", "\n", "x", std::string(1, '\0')});
  EXPECT_THAT(tokenizer->encode(std::string_view(" \nx \n\0", 6)).ids, ElementsAre(0, 1, 2, 0, 1, 3));
  EXPECT_THAT(tokenizer->encode("").ids, IsEmpty());
}

TEST(CharTokenizer, GivesTheTokensOfNanoGptOnItsOwnPrompt) {
  HEADSCOPE_FIXTURE(folder, "nanogpt-shakespeare-char");
  const support::Reference reference = support::readReference(folder);
  const auto tokenizer = makeCharTokenizer(shakespeareCharacters());
  const Encoding encoding = tokenizer->encode(reference.prompt);
  EXPECT_EQ(encoding.ids, reference.tokens);
  EXPECT_THAT(encoding.notEncodable, IsEmpty());
  ASSERT_EQ(encoding.ids.size(), 60u);
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    EXPECT_EQ(tokenizer->bytes(encoding.ids[i]), reference.tokenTexts[i]);
  }
}

}  // namespace
}  // namespace core::tokenizer
