// A text among tokens: over pieces, capital letters and characters of several bytes.
#include "widgets/heatmap/token_search.h"

#include <gmock/gmock.h>

namespace widgets {
namespace {

std::vector<core::TokenText> tokens(const std::vector<std::string>& pieces) {
  std::vector<core::TokenText> texts;
  for (const std::string& piece : pieces) texts.push_back({0, piece, piece});
  return texts;
}

using Ranges = std::vector<core::PositionRange>;

TEST(TokenSearch, FindsATextInOneTokenOrOverSeveral) {
  const auto prompt = tokens({"The", " king", " is", " the", " ki", "ng"});
  EXPECT_EQ(placesOf("king", prompt), (Ranges{{1, 2}, {4, 6}}));
  EXPECT_EQ(placesOf("THE k", prompt), (Ranges{{0, 2}, {3, 5}}));
  EXPECT_EQ(placesOf("queen", prompt), Ranges{});
  EXPECT_EQ(placesOf("", prompt), Ranges{});
  EXPECT_THAT(tokensOf(placesOf("king", prompt)).keys(), ::testing::ElementsAre(1, 4, 5));
}

TEST(TokenSearch, CharactersAreFoundWhereTheyBegin) {
  const auto prompt = tokens({"你好", "\xe4\xb8", "\x96", "界", "\xff", "😀x"});
  EXPECT_EQ(placesOf("好", prompt), (Ranges{{0, 1}}));
  EXPECT_EQ(placesOf("世", prompt), (Ranges{{1, 2}}));
  EXPECT_EQ(placesOf("界", prompt), (Ranges{{3, 4}}));
  EXPECT_EQ(placesOf("X", prompt), (Ranges{{5, 6}}));
}

TEST(TokenSearch, MatchesDoNotOverlap) {
  EXPECT_EQ(placesOf("aa", tokens({"a", "a", "a", "a", "a"})), (Ranges{{0, 2}, {2, 4}}));
}

}  // namespace
}  // namespace widgets
