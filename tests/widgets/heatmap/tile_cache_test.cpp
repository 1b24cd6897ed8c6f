// What the cache keeps and what it forgets.
#include "widgets/heatmap/tile_cache.h"

#include <gtest/gtest.h>

namespace widgets {
namespace {

Tile tile(std::size_t values) {
  return std::make_shared<const TileData>(TileData{{1, static_cast<std::int64_t>(values), std::vector<float>(values)}});
}

TileKey key(std::int64_t row) {
  TileKey made;
  made.row = row;
  return made;
}

TEST(TileCache, StaysInItsBudgetByForgettingTheLeastRecentlyUsed) {
  TileCache cache(400);  // 100 floats
  for (int i = 0; i < 4; ++i) cache.insert(key(i), tile(25));
  EXPECT_EQ(cache.bytes(), 400u);
  EXPECT_NE(cache.find(key(0)), nullptr);  // makes 1 the oldest
  cache.insert(key(9), tile(25));
  EXPECT_EQ(cache.bytes(), 400u);
  EXPECT_FALSE(cache.contains(key(1)));
  EXPECT_TRUE(cache.contains(key(0)));
  EXPECT_TRUE(cache.contains(key(9)));
}

TEST(TileCache, ATileOverTheBudgetIsKeptAlone) {
  TileCache cache(100);
  cache.insert(key(0), tile(10));
  cache.insert(key(1), tile(1000));
  EXPECT_FALSE(cache.contains(key(0)));
  EXPECT_TRUE(cache.contains(key(1)));
}

TEST(TileCache, ReplacingATileCountsItsBytesOnce) {
  TileCache cache(1000);
  cache.insert(key(0), tile(10));
  cache.insert(key(0), tile(20));
  EXPECT_EQ(cache.bytes(), 80u);
}

TEST(TileCache, EveryPartOfTheKeyCounts) {
  TileCache cache(1u << 20);
  const TileKey base;
  cache.insert(base, tile(1));
  std::vector<TileKey> others(6, base);
  others[0].kind = TileKey::Kind::Range;
  others[1].map = 1;
  others[2].stage = core::Stage::Scores;
  others[3].reduction = core::Reduction::Mean;
  others[4].level = 1;
  others[5].column = 1;
  for (const TileKey& other : others) EXPECT_EQ(cache.find(other), nullptr);
  EXPECT_NE(cache.find(base), nullptr);
}

}  // namespace
}  // namespace widgets
