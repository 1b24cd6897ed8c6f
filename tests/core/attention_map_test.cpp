// Tiles, rows and overviews of the bundled model's heads.
#include "core/attention_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/session.h"
#include "tests/support/files.h"

namespace core {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::shared_ptr<const Capture> capture() {
  static const auto made = [] {
    const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    return session->run({session->check("KING RICHARD:\nWhat say you, my lord? my lord, what say you?\n").tokens, {}},
                        Progress());
  }();
  return made;
}

const HeadId kHead{Layer(3), Head(2)};
constexpr std::int64_t kT = 60;

/// Of the finite values. A score made with other ones around it is rounded at other places.
double tolerance(Stage stage, const MapValues& values) {
  if (stage == Stage::Weights) return 1e-6;
  float low = kInfinity;
  float high = -kInfinity;
  for (const float value : values.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return 1e-6 * std::max(1.0, static_cast<double>(high - low));
}

TEST(AttentionMap, ExtentsAreThoseOfTheStages) {
  const AttentionMap map(capture(), kHead);
  EXPECT_EQ(map.extent(Stage::Scores), (MapRect{{0, kT}, {0, kT}}));
  EXPECT_EQ(map.extent(Stage::MaskedScores), (MapRect{{0, kT}, {0, kT}}));
  EXPECT_EQ(map.extent(Stage::Weights), (MapRect{{0, kT}, {0, kT}}));
  EXPECT_EQ(map.extent(Stage::Output), (MapRect{{0, kT}, {0, 32}}));
  EXPECT_EQ(map.extent(Stage::Reassembled), (MapRect{{0, kT}, {0, 192}}));
}

TEST(AttentionMap, WeightIsTheExponentialOfScoreMinusLse) {
  const AttentionMap map(capture(), kHead);
  const MapValues scores = map.rectangle(Stage::Scores, map.extent(Stage::Scores));
  const MapValues masked = map.rectangle(Stage::MaskedScores, map.extent(Stage::MaskedScores));
  const MapValues weights = map.rectangle(Stage::Weights, map.extent(Stage::Weights));
  const std::vector<float> lse = capture()->lse(kHead);
  for (Position i = 0; i < kT; ++i) {
    double sum = 0;
    for (Position j = 0; j <= i; ++j) sum += std::exp(static_cast<double>(scores.at(i, j)));
    EXPECT_NEAR(lse[static_cast<std::size_t>(i)], std::log(sum), 2e-6);
    for (Position j = 0; j < kT; ++j) {
      if (j <= i) {
        EXPECT_EQ(masked.at(i, j), scores.at(i, j));
        EXPECT_NEAR(weights.at(i, j), std::exp(static_cast<double>(scores.at(i, j))) / sum, 2e-6) << "as lse is";
      } else {
        EXPECT_EQ(masked.at(i, j), -kInfinity);
        EXPECT_EQ(weights.at(i, j), 0);
      }
    }
  }
}

TEST(AttentionMap, AnyRectangleIsThatPartOfTheWhole) {
  for (const Stage stage : {Stage::Scores, Stage::MaskedScores, Stage::Weights, Stage::Output, Stage::Reassembled}) {
    const AttentionMap map(capture(), kHead);
    const MapRect extent = map.extent(stage);
    const MapValues whole = map.rectangle(stage, extent);
    for (const MapRect rect :
         {MapRect{{0, 1}, {0, 1}}, MapRect{{7, 23}, {3, 31}}, MapRect{{59, 60}, extent.columns},
          MapRect{extent.rows, {extent.columns.end - 1, extent.columns.end}}, MapRect{{5, 5}, {0, 9}}}) {
      const MapValues part = map.rectangle(stage, rect);
      ASSERT_EQ(part.rows, rect.rows.size());
      ASSERT_EQ(part.columns, rect.columns.size());
      for (std::int64_t r = 0; r < part.rows; ++r) {
        for (std::int64_t c = 0; c < part.columns; ++c) {
          const float expected = whole.at(rect.rows.begin + r, rect.columns.begin + c);
          if (std::isinf(expected)) {
            EXPECT_EQ(part.at(r, c), expected);
          } else {
            EXPECT_NEAR(part.at(r, c), expected, tolerance(stage, whole));
          }
        }
      }
    }
  }
}

TEST(AttentionMap, OutputIsWeightsTimesValuesAndReassembledPutsTheHeadsSideBySide) {
  const std::int64_t D = 32;
  const MapValues together = AttentionMap(capture(), kHead).rectangle(Stage::Reassembled, {{0, kT}, {0, 192}});
  for (int h = 0; h < 6; ++h) {
    const MapValues alone = AttentionMap(capture(), {Layer(3), Head(h)}).rectangle(Stage::Output, {{0, kT}, {0, D}});
    for (Position i = 0; i < kT; ++i) {
      for (std::int64_t d = 0; d < D; ++d) EXPECT_NEAR(together.at(i, h * D + d), alone.at(i, d), 1e-6);
    }
  }
}

TEST(AttentionMap, OverviewIsTheBlockwiseMaximumOrMeanOfTheVisibleCells) {
  const AttentionMap map(capture(), kHead);
  for (const Stage stage : {Stage::Scores, Stage::MaskedScores, Stage::Weights, Stage::Output}) {
    const bool masks = stage == Stage::MaskedScores || stage == Stage::Weights;
    const MapRect rect{{2, 57}, {1, map.extent(stage).columns.end}};
    const MapValues cells = map.rectangle(stage, rect);
    for (const std::int64_t block : {2, 7, 64}) {
      const MapValues largest = map.overview(stage, rect, block, Reduction::Max);
      const MapValues mean = map.overview(stage, rect, block, Reduction::Mean);
      ASSERT_EQ(largest.rows, (cells.rows + block - 1) / block);
      ASSERT_EQ(largest.columns, (cells.columns + block - 1) / block);
      for (std::int64_t R = 0; R < largest.rows; ++R) {
        for (std::int64_t S = 0; S < largest.columns; ++S) {
          float high = -kInfinity;
          double sum = 0;
          int count = 0;
          for (std::int64_t r = R * block; r < std::min((R + 1) * block, cells.rows); ++r) {
            for (std::int64_t c = S * block; c < std::min((S + 1) * block, cells.columns); ++c) {
              if (masks && (rect.rows.begin + r) - (rect.columns.begin + c) < 0) continue;
              high = std::max(high, cells.at(r, c));
              sum += static_cast<double>(cells.at(r, c));
              ++count;
            }
          }
          if (count == 0) {
            const float nothing = stage == Stage::Weights ? 0 : -kInfinity;
            EXPECT_EQ(largest.at(R, S), nothing);
            EXPECT_EQ(mean.at(R, S), nothing);
          } else {
            EXPECT_NEAR(largest.at(R, S), high, tolerance(stage, cells));
            EXPECT_NEAR(mean.at(R, S), sum / count, 2 * tolerance(stage, cells));
          }
        }
      }
    }
  }
}

TEST(AttentionMap, RangeIsOverVisibleCellsOnly) {
  const AttentionMap map(capture(), kHead);
  const MapValues scores = map.rectangle(Stage::Scores, map.extent(Stage::Scores));
  float low = kInfinity;
  float high = -kInfinity;
  for (Position i = 0; i < kT; ++i) {
    for (Position j = 0; j <= i; ++j) {
      low = std::min(low, scores.at(i, j));
      high = std::max(high, scores.at(i, j));
    }
  }
  EXPECT_FLOAT_EQ(map.range(Stage::MaskedScores).low, low);
  EXPECT_FLOAT_EQ(map.range(Stage::MaskedScores).high, high);
  EXPECT_GT(map.range(Stage::Weights).low, 0) << "masked zeros are not weights";
  EXPECT_FLOAT_EQ(map.range(Stage::Weights).high, 1) << "the first query looks only at itself";
}

TEST(AttentionMap, OverviewAndRangeStopWhenAskedTo) {
  const AttentionMap map(capture(), kHead);
  const Progress stop([](double, std::string_view) { return false; });
  for (const auto& work : {std::function<void()>([&] { map.range(Stage::Output, stop); }), std::function<void()>([&] {
                             map.overview(Stage::Weights, map.extent(Stage::Weights), 4, Reduction::Max, stop);
                           })}) {
    try {
      work();
      FAIL() << "it was not cancelled";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
  }
}

TEST(AttentionMap, HeadsAndCellsOutsideAreRefusedWithTheNumbers) {
  EXPECT_THROW(AttentionMap(capture(), {Layer(6), Head(0)}), Error);
  EXPECT_THROW(AttentionMap(capture(), {Layer(0), Head(-1)}), Error);
  const AttentionMap map(capture(), kHead);
  try {
    map.rectangle(Stage::Weights, {{0, 61}, {0, 10}});
    FAIL() << "row 60 does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Mismatch);
    EXPECT_STREQ(error.what(), "Rows 0 to 61 and columns 0 to 10 were asked of a map of 60 x 60.");
  }
}

}  // namespace
}  // namespace core
