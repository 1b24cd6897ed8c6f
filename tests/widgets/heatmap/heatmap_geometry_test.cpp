// Cells and pixels: round trips, fixed points and ends.
#include "widgets/heatmap/heatmap_geometry.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/widgets/heatmap/fitted.h"

namespace widgets {
namespace {

HeatmapGeometry geometry(std::int64_t tokens, int width = 700, int height = 500, double ratio = 1) {
  HeatmapGeometry made;
  made.setViewport(width, height, ratio);
  made.setExtent({{0, tokens}, {0, tokens}}, CellShape::Square);
  return made;
}

TEST(HeatmapGeometry, FitShowsTheWholeMapWithSquareCells) {
  for (const std::int64_t tokens : {1, 2, 43, 256, 1024, 16384}) {
    const HeatmapGeometry map = geometry(tokens);
    EXPECT_EQ(map.rows().visibleCells(), (core::PositionRange{0, tokens}));
    EXPECT_EQ(map.columns().visibleCells(), (core::PositionRange{0, tokens}));
    EXPECT_DOUBLE_EQ(map.rows().scale, map.columns().scale);
    EXPECT_LE(map.rows().end(), 500);
  }
}

TEST(HeatmapGeometry, LargeFittedCellsAreWholePixels) { EXPECT_DOUBLE_EQ(geometry(43).rows().scale, 11); }

TEST(HeatmapGeometry, AnOutputFillsBothDirections) {
  HeatmapGeometry map;
  map.setViewport(640, 500, 1);
  map.setExtent({{0, 100}, {0, 32}}, CellShape::Free);
  EXPECT_DOUBLE_EQ(map.columns().scale, 20);
  EXPECT_DOUBLE_EQ(map.rows().scale, 5);
}

TEST(HeatmapGeometry, TheCellUnderTheCursorStaysThereWhileTheWheelZooms) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> x(0, 499);
  std::uniform_int_distribution<int> notches(-3, 4);
  for (const std::int64_t tokens : {17, 372, 4096}) {
    HeatmapGeometry map = geometry(tokens, 500, 500);
    for (int i = 0; i < 300; ++i) {
      const double atX = x(random);
      const double atY = x(random);
      const double column = map.columns().cellAt(atX);
      const double row = map.rows().cellAt(atY);
      map.zoomAt(atX, atY, std::pow(1.25, notches(random)));
      // At the map's edges the clamp wins over the cursor.
      const auto free = [](const AxisMapping& axis) {
        return axis.offset > 0 && axis.offset < static_cast<double>(axis.cells) * axis.scale - axis.pixels;
      };
      if (free(map.columns())) {
        EXPECT_NEAR(map.columns().cellAt(atX), column, 1e-6);
      }
      if (free(map.rows())) {
        EXPECT_NEAR(map.rows().cellAt(atY), row, 1e-6);
      }
    }
  }
}

TEST(HeatmapGeometry, ZoomingInKeepsTheCellUnderTheCursorAlsoWhileTheMapIsSmallerThanTheViewport) {
  HeatmapGeometry map = geometry(99, 640, 500);  // fitted: 5 pixels a cell, 495 of 640 pixels
  for (int i = 0; i < 6; ++i) {
    map.zoomAt(192.5, 402.5, 1.1);
    EXPECT_NEAR(map.columns().cellAt(192.5), 38.5, 1e-9);
    EXPECT_NEAR(map.rows().cellAt(402.5), 80.5, 1e-9);
  }
}

TEST(HeatmapGeometry, PanningDoesNotMakeMoreOfTheSpaceAfterTheMap) {
  HeatmapGeometry map = geometry(99, 640, 500);
  map.zoomAt(400, 400, 1.2);  // 594 pixels, 80 of them before the viewport
  map.panBy(-50, 0);
  EXPECT_DOUBLE_EQ(map.columns().offset, 80);
  map.panBy(50, 0);
  EXPECT_DOUBLE_EQ(map.columns().offset, 30);
}

TEST(HeatmapGeometry, ZoomingInAndOutComesBackToTheFit) {
  HeatmapGeometry map = geometry(372);
  const AxisMapping rows = map.rows();
  for (int i = 0; i < 9; ++i) map.zoomAt(333, 222, 1.25);
  EXPECT_FALSE(support::isFitted(map));
  EXPECT_GT(map.rows().scale, rows.scale * 7);
  for (int i = 0; i < 12; ++i) map.zoomAt(333, 222, 1 / 1.25);
  EXPECT_TRUE(support::isFitted(map));
  EXPECT_EQ(map.rows(), rows);
}

TEST(HeatmapGeometry, ACellIsFoundAtEachOfItsPixels) {
  HeatmapGeometry map = geometry(100, 400, 400);
  map.zoomAt(150, 250, 3.7);
  map.panBy(-13.4, 7.9);
  int tried = 0;
  const core::PositionRange visible = map.columns().visibleCells();
  for (std::int64_t cell = visible.begin; cell < visible.end; ++cell) {
    for (const double part : {0.01, 0.5, 0.99}) {
      const double pixel = map.columns().pixelOf(static_cast<double>(cell) + part);
      if (pixel < 0 || pixel >= 400) continue;
      EXPECT_EQ(map.columns().cellUnder(pixel), cell);
      ++tried;
    }
  }
  EXPECT_GT(tried, 50);
}

TEST(HeatmapGeometry, NothingIsUnderPixelsBesideTheMap) {
  const HeatmapGeometry map = geometry(43);  // 473 pixels of 700
  EXPECT_EQ(map.columns().cellUnder(472.5), 42);
  EXPECT_EQ(map.columns().cellUnder(473.5), std::nullopt);
  EXPECT_EQ(map.columns().cellUnder(-0.5), std::nullopt);
}

TEST(HeatmapGeometry, BelowOnePixelTheBlocksOfAllPixelsArePartitioned) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> scale(0.03, 0.99);
  for (int i = 0; i < 200; ++i) {
    AxisMapping axis;
    axis.cells = 3001;
    axis.scale = scale(random);
    axis.pixels = 5000;
    const std::int64_t block = axis.scale >= 0.5 ? 1 : 2;
    std::int64_t next = 0;
    for (int pixel = 0; pixel < axis.end(); ++pixel) {
      const core::PositionRange blocks = axis.blocksUnder(pixel, block);
      if (axis.scale * static_cast<double>(block) < 1) {
        ASSERT_EQ(blocks.begin, next) << "scale " << axis.scale << " pixel " << pixel;
      }
      ASSERT_GT(blocks.size(), 0);
      next = blocks.end;
    }
    EXPECT_EQ(next, (3001 + block - 1) / block) << "scale " << axis.scale;
  }
}

TEST(HeatmapGeometry, TheLevelHasBlocksOfAtMostAPixel) {
  EXPECT_EQ(geometry(43).level(), 0);
  EXPECT_EQ(geometry(500).level(), 0);
  EXPECT_EQ(geometry(999).level(), 0) << "2 cells a pixel would be level 1, these are 1.998";
  EXPECT_EQ(geometry(1000).level(), 1);
  EXPECT_EQ(geometry(16384).level(), 5);
}

TEST(HeatmapGeometry, OneToOneIsADevicePixelACell) {
  HeatmapGeometry map = geometry(1024, 700, 500, 2);
  map.oneToOne();
  EXPECT_DOUBLE_EQ(map.rows().scale, 1);
  EXPECT_EQ(map.rows().visibleCells().size(), 500);
  EXPECT_FALSE(support::isFitted(map));
}

TEST(HeatmapGeometry, ResizingKeepsAFitFittedAndAZoomZoomed) {
  HeatmapGeometry map = geometry(372);
  map.setViewport(900, 744, 1);
  EXPECT_DOUBLE_EQ(map.rows().scale, 2);
  map.zoomAt(0, 0, 4);
  map.setViewport(400, 300, 1);
  EXPECT_DOUBLE_EQ(map.rows().scale, 8);
  map.setViewport(800, 600, 2);
  EXPECT_DOUBLE_EQ(map.rows().scale, 16) << "a screen of twice the density shows the same cells";
}

TEST(HeatmapGeometry, PanningEndsAtTheMapsEdges) {
  HeatmapGeometry map = geometry(372, 500, 500);
  map.zoomAt(250, 250, 5);
  map.panBy(1e7, 1e7);
  EXPECT_DOUBLE_EQ(map.rows().offset, 0);
  map.panBy(-1e7, -1e7);
  EXPECT_NEAR(map.rows().pixelOf(372), 500, 1e-6);
}

TEST(HeatmapGeometry, ABoxFillsTheViewport) {
  HeatmapGeometry map = geometry(500, 500, 500);
  map.boxZoom(300, 250, 200, 150);  // any corner first
  EXPECT_EQ(map.columns().visibleCells(), (core::PositionRange{200, 300}));
  EXPECT_EQ(map.rows().visibleCells(), (core::PositionRange{150, 250}));
}

TEST(HeatmapGeometry, AHairlineBoxEndsAtTheLargestCells) {
  HeatmapGeometry map = geometry(500, 500, 500);
  map.boxZoom(10, 10, 10, 10);
  EXPECT_DOUBLE_EQ(map.rows().scale, 96);
}

TEST(HeatmapGeometry, RevealMovesOnlyAsFarAsNeeded) {
  HeatmapGeometry map = geometry(500, 500, 500);
  map.boxZoom(0, 0, 50, 50);
  map.reveal(49, 49);
  EXPECT_DOUBLE_EQ(map.rows().offset, 0);
  map.reveal(50, 120);
  EXPECT_EQ(map.rows().visibleCells().end, 51);
  EXPECT_EQ(map.columns().visibleCells().end, 121);
  map.reveal(0, 0);
  EXPECT_DOUBLE_EQ(map.columns().offset, 0);
}

}  // namespace
}  // namespace widgets
