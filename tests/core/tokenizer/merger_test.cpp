#include "core/tokenizer/merger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string_view>

namespace core::tokenizer {
namespace {

using Ids = std::vector<TokenId>;

Ids merged(const MergeTable& table, const std::vector<Symbol>& symbols) {
  Merger merger(table);
  for (const Symbol symbol : symbols) merger.add(symbol);
  Ids ids;
  merger.finish(ids);
  return ids;
}

TEST(MergeTable, FindsWhatWasSetAndNothingElse) {
  MergeTable table;
  EXPECT_EQ(table.find(1, 2), nullptr);
  for (Symbol i = 0; i < 5'000; ++i) table.set(i, i + 1, {i, i + 2});
  ASSERT_EQ(table.size(), 5'000u);
  for (Symbol i = 0; i < 5'000; ++i) {
    ASSERT_NE(table.find(i, i + 1), nullptr);
    ASSERT_EQ(table.find(i, i + 1)->merged, i + 2);
    ASSERT_EQ(table.find(i + 1, i), nullptr);
  }
}

TEST(MergeTable, APairThatIsSetAgainHasTheNewRank) {
  MergeTable table;
  table.set(1, 2, {7, 3});
  table.set(1, 2, {9, 4});
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.find(1, 2)->rank, 9u);
  EXPECT_EQ(table.find(1, 2)->merged, 4u);
}

TEST(Merger, TakesTheBestRankFirstAndTheLeftmostOfEquals) {
  MergeTable table;
  table.set(0, 1, {5, 10});
  table.set(1, 2, {3, 11});
  table.set(0, 0, {4, 12});
  EXPECT_EQ(merged(table, {0, 1, 2}), (Ids{0, 11})) << "rank 3 before rank 5";
  EXPECT_EQ(merged(table, {0, 0, 0}), (Ids{12, 0})) << "from the left";
  EXPECT_EQ(merged(table, {2}), (Ids{2}));
  EXPECT_EQ(merged(table, {}), (Ids{}));
}

// The rank decides, not the id: a tokenizer.json numbers its tokens as it likes.
TEST(Merger, DoesNotTakeTheSmallerIdForTheBetterRank) {
  MergeTable table;
  table.set(0, 1, {1, 3});
  table.set(1, 2, {0, 9});
  EXPECT_EQ(merged(table, {0, 1, 2}), (Ids{0, 9}));
}

TEST(Merger, LooksAtAPieceAFewTimesHoweverLongItIs) {
  MergeTable table;  // "a" twice makes 1, that twice makes 2, and so on
  for (Symbol i = 0; i < 20; ++i) table.set(i, i, {i, i + 1});
  for (const std::size_t length : {std::size_t{1} << 10, std::size_t{1} << 20}) {
    Merger merger(table);
    for (std::size_t i = 0; i < length; ++i) merger.add(0);
    Ids ids;
    merger.finish(ids);
    EXPECT_EQ(ids.size(), 1u);
    EXPECT_LE(merger.steps(), 4 * length) << length;
  }
}

TEST(MergesByRank, AreAllPairsOfTokensThatSpellAThird) {
  const auto table = mergesByRank({"a", "b", "ab", "", "aba", "ba"});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 4u);
  EXPECT_EQ(table->find(0, 1)->merged, 2u);
  EXPECT_EQ(table->find(2, 0)->merged, 4u) << "ab a";
  EXPECT_EQ(table->find(0, 5)->merged, 4u) << "a ba";
  EXPECT_EQ(table->find(0, 5)->rank, 4u);
  EXPECT_EQ(table->find(1, 0)->merged, 5u);
}

TEST(MergesByRank, AreNothingForTokensThatNoVocabularyHas) {
  EXPECT_FALSE(mergesByRank({std::string(17'000, 'a')}));
  std::vector<std::string> longer;
  for (std::size_t i = 1; i < 1'000; ++i) longer.emplace_back(i, 'a');
  EXPECT_FALSE(mergesByRank(longer));
  // Every word of two letters up to a length of 16, and some of 17: 2.06 million pairs.
  std::vector<std::string> words = {"a", "b"};
  for (std::size_t i = 0; words.size() < 145'000; ++i) {
    for (const char letter : {'a', 'b'}) words.push_back(words[i] + letter);
  }
  EXPECT_FALSE(mergesByRank(words));
}

}  // namespace
}  // namespace core::tokenizer
