// Places of the thumbnails.
#include "widgets/heatmap/head_grid_layout.h"

#include <gtest/gtest.h>

namespace widgets {
namespace {

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

TEST(HeadGridLayout, EveryHeadIsFoundWhereItIsAndNoTwoOverlap) {
  const HeadGridLayout grid(48, 25, 5, 300);
  QRect before;
  for (int layer = 0; layer < 48; ++layer) {
    for (int head = 0; head < 25; ++head) {
      const QRect place = grid.thumbnail(id(layer, head));
      EXPECT_EQ(grid.headAt(place.center()), id(layer, head));
      EXPECT_EQ(grid.headAt(place.topLeft()), id(layer, head));
      EXPECT_EQ(grid.headAt(place.bottomRight()), id(layer, head));
      EXPECT_FALSE(place.intersects(before));
      before = place;
    }
  }
}

TEST(HeadGridLayout, SixHeadsFitAPanelOf320Pixels) {
  const HeadGridLayout grid(6, 6, 6, 320);
  EXPECT_LE(grid.size().width(), 320);
  EXPECT_GE(grid.thumbnailSize(), 32);
}

TEST(HeadGridLayout, SixHeadsFitThePanelAtItsNarrowest) {
  EXPECT_LE(HeadGridLayout(6, 6, 6, 240).size().width(), 240);
  EXPECT_EQ(HeadGridLayout(6, 6, 6, 240).groups(), 0) << "no frames where no heads share a key/value head";
}

TEST(HeadGridLayout, HeadsOfOneKeyValueHeadStandCloserThanOthers) {
  const HeadGridLayout grid(4, 4, 2, 320);
  const auto gap = [&](int head) {
    return grid.thumbnail(id(0, head + 1)).left() - grid.thumbnail(id(0, head)).right();
  };
  EXPECT_EQ(grid.groups(), 2);
  EXPECT_LT(gap(0), gap(1));
  EXPECT_EQ(gap(0), gap(2));
  EXPECT_TRUE(grid.group(core::Layer(0), 0).contains(grid.thumbnail(id(0, 1))));
  EXPECT_FALSE(grid.group(core::Layer(0), 0).intersects(grid.thumbnail(id(0, 2))));
}

TEST(HeadGridLayout, BetweenThumbnailsThereIsNoHead) {
  const HeadGridLayout grid(4, 4, 4, 320);
  EXPECT_EQ(grid.headAt({0, 0}), std::nullopt);
  EXPECT_EQ(grid.headAt(grid.thumbnail(id(0, 0)).topRight() + QPoint(2, 0)), std::nullopt);
  EXPECT_EQ(HeadGridLayout().headAt({10, 10}), std::nullopt);
}

}  // namespace
}  // namespace widgets
