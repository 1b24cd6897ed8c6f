// What every map has in common: overviews, ranges, masks, hidden keys; and the maps that are made of others.
#include "core/map_source.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/attention_map.h"
#include "core/combined_maps.h"
#include "core/map_sums.h"
#include "core/session.h"
#include "core/value_ranks.h"
#include "core/word_map.h"
#include "tests/core/stored_map.h"
#include "tests/support/files.h"

namespace core {
namespace {

using support::causalMap;
using support::causalWeights;
using support::StoredMap;
using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::shared_ptr<const Capture> capture() {
  static const auto made = [] {
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    return session->run({session->check("KING RICHARD:\nWhat say you, my lord? my lord, what say you?\n").tokens, {}},
                        Progress());
  }();
  return made;
}

TEST(KeySet, CountsWhatIsInARange) {
  const KeySet keys({7, 3, 4, 5, 3});
  EXPECT_THAT(keys.keys(), ElementsAre(3, 4, 5, 7));
  EXPECT_EQ(keys.countIn({0, 5}), 2);
  EXPECT_EQ(keys.countIn({4, 8}), 3);
  EXPECT_EQ(keys.countIn({5, 5}), 0);
  EXPECT_TRUE(keys.contains(7));
  EXPECT_FALSE(keys.contains(6));
  EXPECT_TRUE(keys.coversAll({3, 6}));
  EXPECT_FALSE(keys.coversAll({3, 7}));
  EXPECT_FALSE(keys.coversAll({4, 4})) << "no key is not all keys";
  EXPECT_EQ(keys.text(), "3-5, 7");
  EXPECT_EQ(KeySet({0}).text(), "0");
  EXPECT_TRUE(KeySet().empty());
  EXPECT_EQ(KeySet(), KeySet(std::vector<Position>{}));
}

TEST(MapMask, ARangeForEachRowAnswersAsTheRuleDoes) {
  for (const auto& [window, kind] : {std::pair(Window{}, MaskKind::Causal), std::pair(Window{3}, MaskKind::Causal),
                                     std::pair(Window{2}, MaskKind::Bidirectional)}) {
    constexpr std::int64_t kRows = 12;
    const AttentionMask rule(kRows, window, kind);
    std::vector<PositionRange> rows;
    for (Position i = 0; i < kRows; ++i) rows.push_back(rule.visibleKeys(i));
    const MapMask byRule(rule);
    const MapMask byRows(rows);
    for (Position i = 0; i < kRows; ++i) {
      for (Position j = 0; j < kRows; ++j) {
        EXPECT_EQ(byRows.visible(i, j), byRule.visible(i, j)) << i << ", " << j;
        for (Position end = j; end <= kRows; ++end)
          EXPECT_EQ(byRows.anyVisible({i, std::min(i + 3, kRows)}, {j, end}),
                    byRule.anyVisible({i, std::min(i + 3, kRows)}, {j, end}));
      }
      EXPECT_EQ(byRows.visibleKeys(PositionRange{i, kRows}), byRule.visibleKeys(PositionRange{i, kRows}));
    }
  }
}

TEST(MapMask, ARowThatSeesNothingIsEmpty) {
  const MapMask mask({{0, 1}, {}, {1, 3}});
  EXPECT_FALSE(mask.visible(1, 0));
  EXPECT_EQ(mask.visibleKeys(PositionRange{1, 2}).size(), 0);
  EXPECT_EQ(mask.visibleKeys(PositionRange{0, 3}), (PositionRange{0, 3}));
  EXPECT_FALSE(mask.anyVisible({1, 2}, {0, 3}));
}

TEST(MapMask, EitherIsVisibleWhereOneOfTheTwoIs) {
  const AttentionMask narrow(8, Window{1});
  const AttentionMask wide(8, Window{4});
  const MapMask both = MapMask::either(narrow, wide, 8);
  for (Position i = 0; i < 8; ++i)
    for (Position j = 0; j < 8; ++j) EXPECT_EQ(both.visible(i, j), j <= i && i - j <= 4);
}

/// Every block by the definition, cell by cell.
MapValues blocksByHand(const MapSource& map, Stage stage, const MapRect& rect, std::int64_t block,
                       Reduction reduction) {
  const MapValues all = map.rectangle(stage, rect);
  const bool masked = stage == Stage::Weights || stage == Stage::MaskedScores;
  MapValues result{(rect.rows.size() + block - 1) / block, (rect.columns.size() + block - 1) / block, {}};
  for (std::int64_t y = 0; y < result.rows; ++y) {
    for (std::int64_t x = 0; x < result.columns; ++x) {
      std::vector<double> cells;
      for (std::int64_t row = y * block; row < std::min(rect.rows.size(), (y + 1) * block); ++row) {
        for (std::int64_t column = x * block; column < std::min(rect.columns.size(), (x + 1) * block); ++column) {
          const Position i = rect.rows.begin + row;
          const Position j = rect.columns.begin + column;
          if ((masked && !map.mask().visible(i, j)) || map.hidden().contains(j)) continue;
          cells.push_back(static_cast<double>(all.at(row, column)));
        }
      }
      double value = stage == Stage::Weights ? 0 : -std::numeric_limits<double>::infinity();
      if (!cells.empty()) {
        value = 0;
        for (const double cell : cells) value += cell;
        value /= static_cast<double>(cells.size());
        if (reduction == Reduction::Max) value = *std::max_element(cells.begin(), cells.end());
        if (reduction == Reduction::MaxMagnitude)
          value = *std::max_element(cells.begin(), cells.end(),
                                    [](double a, double b) { return std::abs(a) < std::abs(b); });
      }
      result.values.push_back(static_cast<float>(value));
    }
  }
  return result;
}

TEST(MapSource, OverviewsAndRangesLeaveOutMaskedAndHiddenCells) {
  const KeySet hidden({0, 4, 5, 6, 7, 30});
  for (const Stage stage : {Stage::Scores, Stage::MaskedScores, Stage::Weights}) {
    const AttentionMap ours(capture(), {Layer(2), Head(2)}, hidden);
    const MapRect rect{{5, 60}, {0, 41}};
    for (const Reduction reduction : {Reduction::Max, Reduction::Mean, Reduction::MaxMagnitude}) {
      for (const std::int64_t block : {1, 2, 4, 7}) {
        if (block == 1) continue;
        const MapValues expected = blocksByHand(ours, stage, rect, block, reduction);
        for (const MapValues& given :
             {ours.overview(stage, rect, block, reduction), ours.MapSource::overview(stage, rect, block, reduction)}) {
          ASSERT_EQ(given.values.size(), expected.values.size());
          for (std::size_t i = 0; i < given.values.size(); ++i) {
            if (std::isinf(expected.values[i])) {
              ASSERT_EQ(given.values[i], expected.values[i])
                  << static_cast<int>(stage) << " block " << block << " at " << i;
            } else {
              ASSERT_NEAR(given.values[i], expected.values[i], 2e-5) << static_cast<int>(stage) << " block " << block;
            }
          }
        }
      }
    }
    const ValueRange fast = ours.range(stage);
    const ValueRange plain = ours.MapSource::range(stage);
    EXPECT_NEAR(fast.low, plain.low, 2e-5);
    EXPECT_NEAR(fast.high, plain.high, 2e-5);
    // The first query looks at the first key alone: with weight 1.
    if (stage == Stage::Weights) {
      EXPECT_LT(fast.high, 1);
    }
  }
}

TEST(MapSource, NanWinsInABlockOfEveryReduction) {
  MapValues values = causalWeights(8, 1);
  values.values[5 * 8 + 2] = std::nanf("");
  const StoredMap map("nan", values, AttentionMask(8));
  for (const Reduction reduction : {Reduction::Max, Reduction::Mean, Reduction::MaxMagnitude}) {
    const MapValues blocks = map.overview(Stage::Weights, {{0, 8}, {0, 8}}, 4, reduction);
    EXPECT_TRUE(std::isnan(blocks.at(1, 0)));
    EXPECT_FALSE(std::isnan(blocks.at(1, 1)));
  }
  EXPECT_TRUE(std::isfinite(map.range(Stage::Weights).high));
}

TEST(MapSource, IdentityTellsHeadsRunsAndHiddenKeysApart) {
  const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
  const auto again = session->run({{1, 2, 3}, {}}, Progress());
  const HeadId head{Layer(1), Head(0)};
  const std::string one = AttentionMap(capture(), head).identity();
  EXPECT_EQ(one, AttentionMap(capture(), head).identity());
  EXPECT_NE(one, AttentionMap(again, head).identity());
  EXPECT_NE(one, AttentionMap(capture(), {Layer(0), Head(1)}).identity());
  EXPECT_NE(one, AttentionMap(capture(), head, KeySet({0})).identity());
}

TEST(MeanMap, IsTheMeanOfEveryCell) {
  const MeanMap mean({causalMap(9, 1), causalMap(9, 2), causalMap(9, 3)});
  const MapValues given = mean.rectangle(Stage::Weights, {{2, 9}, {1, 9}});
  for (Position i = 2; i < 9; ++i) {
    for (Position j = 1; j < 9; ++j) {
      double sum = 0;
      for (const int seed : {1, 2, 3}) sum += static_cast<double>(causalWeights(9, seed).at(i, j));
      EXPECT_NEAR(given.at(i - 2, j - 1), sum / 3, 1e-7);
    }
  }
}

TEST(MeanMap, OfHeadsWithOtherWindowsIsVisibleWhereOneOfThemIs) {
  const auto narrow = std::make_shared<const StoredMap>("narrow", causalWeights(6, 1), AttentionMask(6, Window{1}));
  const MeanMap mean({narrow, causalMap(6, 2)});
  EXPECT_TRUE(mean.mask().visible(5, 0));
  EXPECT_FALSE(mean.mask().visible(0, 1));
}

TEST(DifferenceMap, IsOneLessTheOtherAndKeepsItsSign) {
  const DifferenceMap difference(causalMap(10, 1), causalMap(10, 2), Stage::Weights);
  EXPECT_TRUE(difference.isDifference());
  const MapValues given = difference.rectangle(Stage::Weights, {{0, 10}, {0, 10}});
  for (Position i = 0; i < 10; ++i)
    for (Position j = 0; j < 10; ++j)
      EXPECT_EQ(given.at(i, j), causalWeights(10, 1).at(i, j) - causalWeights(10, 2).at(i, j));
  const MapValues blocks = difference.overview(Stage::Weights, {{0, 10}, {0, 10}}, 4, Reduction::MaxMagnitude);
  EXPECT_THAT(blocks.values,
              ::testing::ElementsAreArray(
                  blocksByHand(difference, Stage::Weights, {{0, 10}, {0, 10}}, 4, Reduction::MaxMagnitude).values));
}

TEST(DifferenceMap, OfStagesAndOfWindowsTellsWhatOnlyOneMasks) {
  const auto full = std::make_shared<const AttentionMap>(capture(), HeadId{Layer(0), Head(0)});
  const DifferenceMap stages(full, full, Stage::MaskedScores, Stage::Scores);
  const MapValues none = stages.rectangle(Stage::MaskedScores, {{0, 60}, {0, 60}});
  EXPECT_EQ(none.at(40, 3), 0);
  EXPECT_EQ(none.at(3, 40), -kInfinity) << "masked in both";

  const auto narrow = std::make_shared<const StoredMap>("narrow", MapValues{2, 2, {1.F, -kInfinity, -kInfinity, 1.F}},
                                                        AttentionMask(2, Window{0}));
  const auto wide =
      std::make_shared<const StoredMap>("wide", MapValues{2, 2, {1.F, -kInfinity, 5.F, 3.F}}, AttentionMask(2));
  const MapValues windows =
      DifferenceMap(wide, narrow, Stage::MaskedScores).rectangle(Stage::MaskedScores, {{0, 2}, {0, 2}});
  EXPECT_THAT(windows.values, ElementsAre(0.F, -kInfinity, kInfinity, 2.F));
}

TEST(DifferenceMap, OfMapsOfOtherSizesIsRefusedWithBoth) {
  try {
    DifferenceMap(causalMap(5, 1), causalMap(6, 1), Stage::Weights);
    FAIL() << "5 tokens are not 6";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("A map of 5 x 5 cells can't be compared with one of 6 x 6"));
  }
}

TEST(WordMap, SumsTheKeysAndTakesTheMeanOfTheQueriesOfAWord) {
  const std::vector<PositionRange> words{{0, 1}, {1, 4}, {4, 6}, {6, 7}};
  const WordMap map(causalMap(7, 4), words);
  ASSERT_EQ(map.extent(Stage::Weights), (MapRect{{0, 4}, {0, 4}}));
  const MapValues tokens = causalWeights(7, 4);
  const MapValues given = map.rectangle(Stage::Weights, {{0, 4}, {0, 4}});
  for (Position q = 0; q < 4; ++q) {
    double row = 0;
    for (Position k = 0; k < 4; ++k) {
      double sum = 0;
      for (Position i = words[static_cast<std::size_t>(q)].begin; i < words[static_cast<std::size_t>(q)].end; ++i)
        for (Position j = words[static_cast<std::size_t>(k)].begin; j < words[static_cast<std::size_t>(k)].end; ++j)
          sum += static_cast<double>(tokens.at(i, j));
      EXPECT_NEAR(given.at(q, k), sum / static_cast<double>(words[static_cast<std::size_t>(q)].size()), 1e-7);
      row += static_cast<double>(given.at(q, k));
    }
    EXPECT_NEAR(row, 1, 1e-6);
  }
  EXPECT_EQ(map.rectangle(Stage::Weights, {{2, 3}, {1, 3}}).values,
            (std::vector<float>{given.at(2, 1), given.at(2, 2)}));
  EXPECT_TRUE(map.mask().visible(1, 1)) << "the last piece of a word sees the first";
  EXPECT_FALSE(map.mask().visible(1, 2));
  EXPECT_THROW(map.rectangle(Stage::Scores, {{0, 1}, {0, 1}}), Error);
}

TEST(WordMap, AWordIsHiddenWhenAPieceOfItIs) {
  const WordMap map(causalMap(7, 4, KeySet({2, 6})), {{0, 1}, {1, 4}, {4, 6}, {6, 7}});
  EXPECT_THAT(map.hidden().keys(), ElementsAre(1, 3));
}

TEST(MapSums, HiddenMassIsWhatTheHiddenColumnsHold) {
  const auto map = causalMap(20, 3, KeySet({0, 1, 7}));
  double sum = 0;
  for (Position i = 0; i < 20; ++i)
    for (const Position j : {0, 1, 7}) sum += static_cast<double>(causalWeights(20, 3).at(i, j));
  EXPECT_NEAR(hiddenMass(*map, {}), sum / 20, 1e-7);
  EXPECT_EQ(hiddenMass(*causalMap(20, 3), {}), 0);
}

TEST(MapSums, TotalVariationIsHalfTheSumOfTheDifferences) {
  const DifferenceMap difference(causalMap(15, 1), causalMap(15, 2), Stage::Weights);
  const std::vector<float> given = totalVariation(difference, {});
  ASSERT_EQ(given.size(), 15U);
  EXPECT_EQ(given[0], 0) << "one key: both look at it alone";
  for (Position i = 0; i < 15; ++i) {
    double sum = 0;
    for (Position j = 0; j < 15; ++j)
      sum += std::abs(static_cast<double>(causalWeights(15, 1).at(i, j)) -
                      static_cast<double>(causalWeights(15, 2).at(i, j)));
    EXPECT_NEAR(given[static_cast<std::size_t>(i)], sum / 2, 1e-6);
    EXPECT_LE(given[static_cast<std::size_t>(i)], 1 + 1e-6);
  }
}

TEST(ValueRanks, AShareIsThatOfTheSmallerValues) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  MapValues values{64, 64, {}};
  for (int i = 0; i < 64 * 64; ++i) values.values.push_back(normal(random));
  values.values[3] = std::nanf("");
  std::vector<PositionRange> all(64, PositionRange{0, 64});
  const StoredMap map("normal", values, MapMask(all), KeySet({5}));
  const ValueRanks ranks = ValueRanks::of(map, Stage::Weights, {});
  std::vector<double> counted;
  for (Position i = 0; i < 64; ++i)
    for (Position j = 0; j < 64; ++j)
      if (j != 5 && std::isfinite(values.at(i, j))) counted.push_back(static_cast<double>(values.at(i, j)));
  std::sort(counted.begin(), counted.end());
  for (const double value : {-2.5, -1.0, -0.1, 0.0, 0.3, 1.7}) {
    const auto below = std::lower_bound(counted.begin(), counted.end(), value) - counted.begin();
    // Steps are 1/128 of a value wide; of this many values some 1 % lie in one.
    EXPECT_NEAR(ranks.share(value), static_cast<double>(below) / static_cast<double>(counted.size()), 0.01) << value;
    EXPECT_NEAR(ranks.valueAt(ranks.share(value)), value, 0.02 + std::abs(value) / 64);
  }
  double before = 0;
  for (double value = -4; value < 4; value += 0.01) {
    EXPECT_GE(ranks.share(value), before) << "never smaller for a larger value";
    before = ranks.share(value);
  }
  EXPECT_EQ(ranks.share(-100), 0);
  EXPECT_NEAR(ranks.share(100), 1, 1e-9);
}

TEST(ValueRanks, OfALongMapCountsEveryFewRows) {
  EXPECT_EQ(ValueRanks::rowStep({{0, 8192}, {0, 8192}}), 1);
  EXPECT_EQ(ValueRanks::rowStep({{0, 32768}, {0, 32768}}), 16);
}

TEST(MapSource, CancelledWorkStopsEverywhere) {
  const Progress stop([](double, std::string_view) { return false; });
  const auto map = causalMap(12, 1, KeySet({0}));
  const DifferenceMap difference(map, causalMap(12, 2), Stage::Weights);
  EXPECT_THROW(difference.overview(Stage::Weights, {{0, 12}, {0, 12}}, 2, Reduction::Max, stop), Error);
  EXPECT_THROW(difference.range(Stage::Weights, stop), Error);
  EXPECT_THROW(hiddenMass(*map, stop), Error);
  EXPECT_THROW(totalVariation(difference, stop), Error);
  EXPECT_THROW(ValueRanks::of(*map, Stage::Weights, stop), Error);
}

}  // namespace
}  // namespace core
