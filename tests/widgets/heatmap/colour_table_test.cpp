// The fast table against the colouring that it was made of.
#include "widgets/heatmap/colour_table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/core/stored_map.h"
#include "widgets/heatmap/map_words.h"

namespace widgets {
namespace {

TEST(ColourTable, HasTheColourOfEveryFloat) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::uint32_t> bits;
  std::uniform_real_distribution<float> usual(-1.5F, 1.5F);
  core::MapValues values{40, 40, {}};
  for (int i = 0; i < 1600; ++i) values.values.push_back(usual(random));
  const support::StoredMap map("usual", values, core::MapMask(std::vector<core::PositionRange>(40, {0, 40})));
  const core::ValueRanks ranks = core::ValueRanks::of(map, core::Stage::Scores, {});
  for (const Scale scale : kScales) {
    for (const ColormapName name : kColormaps) {
      for (const core::ValueRange range : {core::ValueRange{0, 1}, core::ValueRange{-1.2F, 0.4F},
                                           core::ValueRange{1e-9F, 3e-9F}, core::ValueRange{0, 0}}) {
        const Colouring colouring(name, scale, range, &ranks);
        const ColourTable table(colouring);
        const auto expectSame = [&](float value) {
          ASSERT_EQ(table.color(value), colouring.color(value))
              << value << " with " << scaleName(scale).toStdString() << ", " << colormapName(name).toStdString() << ", "
              << range.low << " to " << range.high;
        };
        for (int i = 0; i < 2000; ++i) expectSame(usual(random));
        for (int i = 0; i < 500; ++i) expectSame(std::bit_cast<float>(bits(random)));
        for (int i = 0; i < 500; ++i) expectSame(range.low + (range.high - range.low) * std::abs(usual(random)));
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (const float value : {0.F, -0.F, kInfinity, -kInfinity, std::nanf(""), range.low, range.high,
                                  std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()})
          expectSame(value);
      }
    }
  }
}

TEST(ColourTable, PercentileColoursAreFilledEvenly) {
  // A thousand values of which each is ten times the one before: linear would show one of them.
  core::MapValues values{1, 30, {}};
  for (int i = 0; i < 30; ++i) values.values.push_back(std::pow(10.F, static_cast<float>(i - 30)));
  const support::StoredMap map("decades", values, core::MapMask({{0, 30}}));
  const core::ValueRanks ranks = core::ValueRanks::of(map, core::Stage::Weights, {});
  const Colouring colouring(ColormapName::Viridis, Scale::Percentile, {0, 0.1F}, &ranks);
  for (int i = 0; i < 30; ++i)
    EXPECT_NEAR(colouring.place(static_cast<double>(values.values[static_cast<std::size_t>(i)])), (i + 0.5) / 30, 1e-9);
}

TEST(ColourTable, PercentilesOfADifferenceKeepTheirMiddleAtZero) {
  core::MapValues values{1, 5, {-4, -3, 0, 0.5F, 9}};
  const support::StoredMap map("signed", values, core::MapMask({{0, 5}}));
  const core::ValueRanks ranks = core::ValueRanks::of(map, core::Stage::Scores, {});
  const Colouring colouring(ColormapName::Diverging, Scale::Percentile, {-4, 9}, &ranks);
  EXPECT_EQ(colouring.place(0), 0.5);
  EXPECT_LT(colouring.place(-4), colouring.place(-3));
  EXPECT_LT(colouring.place(-3), 0.5);
  EXPECT_GT(colouring.place(0.5), 0.5);
  EXPECT_GT(colouring.place(9), colouring.place(0.5));
}

}  // namespace
}  // namespace widgets
