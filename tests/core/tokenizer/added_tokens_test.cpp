#include "core/tokenizer/added_tokens.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

using Parts = std::vector<std::string>;

const AddedToken kWord{.content = "<t>", .singleWord = true};
const AddedToken kStripping{.content = "<t>", .lstrip = true, .rstrip = true};

/// The text as the token divides it.
Parts parts(const AddedToken& token, std::string_view text) {
  Parts result;
  AddedTokens({token}).split(
      text, [&](TokenId) { result.emplace_back("token"); }, [&](std::string_view rest) { result.emplace_back(rest); });
  return result;
}

TEST(AddedTokens, AWordIsWhatUnicodeSays) {
  EXPECT_EQ(parts(kWord, "a <t>"), (Parts{"a ", "token"}));
  EXPECT_EQ(parts(kWord, "a<t>"), (Parts{"a<t>"}));
  EXPECT_EQ(parts(kWord, "<t>\u00e9"), (Parts{"<t>\u00e9"}));
  EXPECT_EQ(parts(kStripping, "a \u00a0<t>\u3000b"), (Parts{"a", "token", "b"}));
}

// 0xAA and 0xA0 by themselves are no characters, though U+00AA is a letter and U+00A0 a space.
TEST(AddedTokens, R4_ABadByteIsNeitherAWordNorASpace) {
  EXPECT_EQ(parts(kWord, "\xAA<t>\xAA"), (Parts{"\xAA", "token", "\xAA"}));
  EXPECT_EQ(parts(kStripping, "\xA0<t>\xA0"), (Parts{"\xA0", "token", "\xA0"}));
}

}  // namespace
}  // namespace core::tokenizer
