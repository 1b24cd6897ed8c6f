// Which tiles are computed, and which of them first.
#include "widgets/heatmap/tile_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace widgets {
namespace {

const core::MapMask kMask(core::AttentionMask(2048));

TileNeed need(int level, core::MapRect visible) {
  TileNeed made;
  made.extent = {{0, 2048}, {0, 2048}};
  made.visible = visible;
  made.level = level;
  made.mask = &kMask;
  return made;
}

std::vector<std::pair<std::int64_t, std::int64_t>> values(const std::vector<TileKey>& order, int level) {
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const TileKey& key : order)
    if (key.kind == TileKey::Kind::Values && key.level == level) found.emplace_back(key.row, key.column);
  return found;
}

TEST(TileOrder, RangeThenTheWholeMapCoarselyThenTheScreen) {
  const auto order = tilesInOrder(need(0, {{512, 1024}, {0, 600}}));
  ASSERT_GE(order.size(), 3u);
  EXPECT_EQ(order[0].kind, TileKey::Kind::Range);
  EXPECT_EQ(order[1].kind, TileKey::Kind::Values);
  EXPECT_EQ(order[1].level, 3) << "2048 / 256 = 2^3";
  EXPECT_THAT(values(order, 0), testing::UnorderedElementsAre(std::pair{2, 0}, std::pair{2, 1}, std::pair{2, 2},
                                                              std::pair{3, 0}, std::pair{3, 1}, std::pair{3, 2}));
}

TEST(TileOrder, TilesNearTheCursorComeFirst) {
  TileNeed at = need(0, {{1024, 2048}, {0, 1024}});
  at.focusRow = 1300;
  at.focusColumn = 700;
  const auto found = values(tilesInOrder(at), 0);
  ASSERT_EQ(found.size(), 16u);
  EXPECT_EQ(found.front(), (std::pair<std::int64_t, std::int64_t>{5, 2}));
  EXPECT_EQ(found.back(), (std::pair<std::int64_t, std::int64_t>{7, 0}));
}

TEST(TileOrder, TilesThatTheMaskHidesAreNotComputed) {
  TileNeed at = need(0, {{0, 512}, {0, 1024}});
  EXPECT_THAT(values(tilesInOrder(at), 0),
              testing::UnorderedElementsAre(std::pair{0, 0}, std::pair{1, 0}, std::pair{1, 1}));
  at.mask = nullptr;
  EXPECT_EQ(values(tilesInOrder(at), 0).size(), 8u);
}

TEST(TileOrder, TheCoarsestTileIsAskedForOnce) {
  const auto order = tilesInOrder(need(3, {{0, 2048}, {0, 2048}}));
  EXPECT_EQ(order.size(), 2u);
}

TEST(TileOrder, AnOverviewThatCostsMoreThanTheScreenComesLast) {
  const core::MapMask mask(core::AttentionMask(32768));
  TileNeed at = need(0, {{30000, 30500}, {0, 500}});
  at.extent = {{0, 32768}, {0, 32768}};
  at.mask = &mask;
  const auto order = tilesInOrder(at);
  EXPECT_EQ(order.back().level, 7);
  EXPECT_EQ(order[1].level, 0);
}

TEST(TileOrder, RowRangesComeWithTheirRowsOnly) {
  TileNeed at = need(0, {{512, 700}, {0, 100}});
  at.rowRanges = true;
  int ranges = 0;
  for (const TileKey& key : tilesInOrder(at)) {
    if (key.kind != TileKey::Kind::RowRanges) continue;
    EXPECT_EQ(key.row, 2);
    ++ranges;
  }
  EXPECT_EQ(ranges, 1);
}

TEST(TileOrder, SingleCellsAreSharedByAllReductions) {
  TileNeed at = need(0, {{0, 10}, {0, 10}});
  const auto largest = tilesInOrder(at);
  at.base.reduction = core::Reduction::Mean;
  const auto mean = tilesInOrder(at);
  EXPECT_EQ(largest.back(), mean.back());
  EXPECT_NE(largest[1], mean[1]) << "but blocks are not";
}

}  // namespace
}  // namespace widgets
