// Places of the thumbnails.
#include "widgets/heatmap/head_grid_layout.h"

#include <gtest/gtest.h>

namespace widgets {
namespace {

constexpr int kLabel = 26;
constexpr int kText = 12;

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

std::vector<core::HeadId> allOf(int layers, int heads) {
  std::vector<core::HeadId> all;
  for (int l = 0; l < layers; ++l)
    for (int h = 0; h < heads; ++h) all.push_back(id(l, h));
  return all;
}

HeadGridLayout inLayers(int layers, int heads, int kvHeads, int width) {
  return HeadGridLayout::inLayers(allOf(layers, heads), heads / kvHeads, width, kLabel);
}

void expectEveryHeadWhereItIs(const HeadGridLayout& grid, int width) {
  std::vector<QRect> before;
  for (std::size_t place = 0; place < grid.count(); ++place) {
    const QRect thumbnail = grid.thumbnail(place);
    EXPECT_EQ(grid.placeOf(grid.head(place)), place);
    EXPECT_EQ(grid.thumbnail(grid.head(place)), thumbnail);
    for (const QPoint point : {thumbnail.center(), thumbnail.topLeft(), thumbnail.bottomRight()})
      EXPECT_EQ(grid.placeAt(point), place);
    if (!before.empty()) {
      EXPECT_FALSE(thumbnail.intersects(before.back()));
    }
    EXPECT_LE(thumbnail.right(), width);
    before.push_back(thumbnail);
  }
  EXPECT_LE(grid.size().width(), width);
}

TEST(HeadGridLayout, EveryHeadIsFoundWhereItIsAndNoTwoOverlap) {
  for (const int width : {240, 320, 700}) {
    expectEveryHeadWhereItIs(inLayers(48, 25, 5, width), width);
    expectEveryHeadWhereItIs(inLayers(48, 25, 25, width), width);
    expectEveryHeadWhereItIs(inLayers(48, 25, 1, width), width);
    expectEveryHeadWhereItIs(HeadGridLayout::inOrder(allOf(48, 25), kText, width), width);
  }
}

TEST(HeadGridLayout, OneHeadHasItsPlace) {
  expectEveryHeadWhereItIs(inLayers(1, 1, 1, 320), 320);
  expectEveryHeadWhereItIs(HeadGridLayout::inOrder({id(7, 3)}, kText, 320), 320);
}

TEST(HeadGridLayout, SixHeadsFitAPanelOf320PixelsInOneLine) {
  const HeadGridLayout grid = inLayers(6, 6, 6, 320);
  EXPECT_GE(grid.thumbnailSize(), 32);
  EXPECT_EQ(grid.thumbnail(id(0, 0)).top(), grid.thumbnail(id(0, 5)).top());
  EXPECT_LT(grid.thumbnail(id(0, 5)).bottom(), grid.thumbnail(id(1, 0)).top());
}

TEST(HeadGridLayout, SixHeadsFitThePanelAtItsNarrowestInOneLine) {
  const HeadGridLayout grid = inLayers(6, 6, 6, 240);
  EXPECT_EQ(grid.thumbnail(id(0, 0)).top(), grid.thumbnail(id(0, 5)).top());
  EXPECT_TRUE(grid.frames().empty()) << "no frames where no heads share a key/value head";
}

TEST(HeadGridLayout, ManyHeadsTakeSeveralLinesRatherThanBecomeTiny) {
  const HeadGridLayout grid = inLayers(2, 25, 25, 320);
  EXPECT_GE(grid.thumbnailSize(), 28);
  EXPECT_LT(grid.thumbnail(id(0, 0)).bottom(), grid.thumbnail(id(0, 24)).top());
  EXPECT_LT(grid.thumbnail(id(0, 24)).bottom(), grid.thumbnail(id(1, 0)).top());
  EXPECT_EQ(grid.labels().size(), 2u);
  EXPECT_EQ(grid.labels()[1].place.top(), grid.thumbnail(id(1, 0)).top());
}

TEST(HeadGridLayout, HeadsOfOneKeyValueHeadStandCloserThanOthersInAFrame) {
  const HeadGridLayout grid = inLayers(4, 4, 2, 320);
  const auto gap = [&](int head) {
    return grid.thumbnail(id(0, head + 1)).left() - grid.thumbnail(id(0, head)).right();
  };
  EXPECT_EQ(grid.frames().size(), 8u);
  EXPECT_LT(gap(0), gap(1));
  EXPECT_EQ(gap(0), gap(2));
  EXPECT_TRUE(grid.frames()[0].contains(grid.thumbnail(id(0, 1))));
  EXPECT_FALSE(grid.frames()[0].intersects(grid.thumbnail(id(0, 2))));
}

TEST(HeadGridLayout, LinesDoNotPartHeadsOfAKeyValueHeadThatFitInOne) {
  const HeadGridLayout grid = inLayers(2, 9, 3, 320);  // too small for nine in a line
  for (int head = 0; head < 9; ++head) {
    const int first = head / 3 * 3;
    EXPECT_EQ(grid.thumbnail(id(1, head)).top(), grid.thumbnail(id(1, first)).top()) << head;
  }
  EXPECT_LT(grid.thumbnail(id(1, 0)).top(), grid.thumbnail(id(1, 8)).top());
  EXPECT_EQ(grid.frames().size(), 6u);
}

TEST(HeadGridLayout, OneLayerAloneHasAllTheRoom) {
  EXPECT_GT(inLayers(1, 9, 3, 320).thumbnailSize(), inLayers(2, 9, 3, 320).thumbnailSize());
  const HeadGridLayout fourth = HeadGridLayout::inLayers({id(3, 0), id(3, 1)}, 1, 320, kLabel);
  EXPECT_EQ(fourth.labels().at(0).layer, core::Layer(3)) << "labels keep the model's numbers";
}

TEST(HeadGridLayout, TextStandsUnderThumbnailsInOrder) {
  const HeadGridLayout grid = HeadGridLayout::inOrder({id(4, 1), id(0, 2), id(3, 3)}, kText, 320);
  for (std::size_t place = 0; place < 3; ++place) {
    EXPECT_EQ(grid.text(place).height(), kText);
    EXPECT_GT(grid.text(place).top(), grid.thumbnail(place).bottom());
    EXPECT_EQ(grid.placeAt(grid.text(place).center()), place) << "a click on the text is one on the head";
  }
  EXPECT_FALSE(grid.text(0).intersects(grid.text(1)));
  EXPECT_TRUE(inLayers(2, 2, 2, 320).text(0).isEmpty());
  EXPECT_TRUE(grid.frames().empty());
}

TEST(HeadGridLayout, BetweenThumbnailsThereIsNoHead) {
  const HeadGridLayout grid = inLayers(4, 4, 4, 320);
  EXPECT_EQ(grid.placeAt({0, 0}), std::nullopt);
  EXPECT_EQ(grid.placeAt(grid.thumbnail(id(0, 0)).topRight() + QPoint(2, 0)), std::nullopt);
  EXPECT_EQ(HeadGridLayout().placeAt({10, 10}), std::nullopt);
  EXPECT_TRUE(grid.thumbnail(id(9, 0)).isEmpty()) << "not shown";
}

TEST(HeadGridLayout, WhatIsInAnAreaAreTheLinesThatTouchIt) {
  const HeadGridLayout grid = inLayers(48, 6, 6, 320);
  const QRect row = grid.thumbnail(id(20, 0)) | grid.thumbnail(id(20, 5));
  const HeadGridLayout::Places one = grid.placesIn(row);
  EXPECT_EQ(one.begin, 20u * 6);
  EXPECT_EQ(one.end, 21u * 6);
  const HeadGridLayout::Places two = grid.placesIn(row | grid.thumbnail(id(21, 0)));
  EXPECT_EQ(two.end, 22u * 6);
  EXPECT_EQ(grid.placesIn({0, 100000, 10, 10}).begin, grid.placesIn({0, 100000, 10, 10}).end);
}

TEST(HeadGridLayout, UpAndDownGoToTheNearestOfTheNextLineAndStopAtTheEnds) {
  const HeadGridLayout layers = inLayers(3, 4, 4, 320);
  EXPECT_EQ(layers.below(1), 5u);
  EXPECT_EQ(layers.above(5), 1u);
  EXPECT_EQ(layers.above(2), 2u);
  EXPECT_EQ(layers.below(10), 10u);
  const HeadGridLayout order = HeadGridLayout::inOrder(allOf(1, 7), kText, 320);  // five in a line
  EXPECT_EQ(order.below(1), 6u);
  EXPECT_EQ(order.below(4), 6u) << "the last of a shorter line";
}

TEST(HeadGridLayout, ARowIsALayerOrAll) {
  const HeadGridLayout layers = inLayers(3, 4, 4, 320);
  EXPECT_EQ(layers.row(6).begin, 4u);
  EXPECT_EQ(layers.row(6).end, 8u);
  EXPECT_EQ(HeadGridLayout::inOrder(allOf(3, 4), kText, 320).row(6).end, 12u);
}

}  // namespace
}  // namespace widgets
