// Pixels of patterns and of reduced blocks, by the definition.
#include "widgets/heatmap/map_painter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/stored_map.h"

namespace widgets {
namespace {

constexpr Hatch kHatch = kLightHatch;

AxisMapping axis(std::int64_t cells, int pixels) {
  AxisMapping mapping;
  mapping.cells = cells;
  mapping.pixels = pixels;
  mapping.scale = pixels / static_cast<double>(cells);
  return mapping;
}

MapPicture pictureOf(std::int64_t cells, int pixels, core::ValueRange range = {0, 1}) {
  MapPicture picture;
  picture.rows = picture.columns = axis(cells, pixels);
  picture.colours = std::make_shared<const ColourTable>(Colouring(ColormapName::Viridis, Scale::Linear, range));
  return picture;
}

QImage paint(const MapPicture& picture, const core::MapValues& values) {
  QImage image(picture.columns.pixels, picture.rows.pixels, QImage::Format_RGB32);
  image.fill(Qt::black);
  paintMap(image, picture, [&](std::int64_t row, const core::PositionRange& blocks, MapLine& line) {
    for (std::int64_t column = blocks.begin; column < blocks.end; ++column) {
      line.values[static_cast<std::size_t>(column - blocks.begin)] = values.at(row, column);
      line.known[static_cast<std::size_t>(column - blocks.begin)] = 1;
    }
  });
  return image;
}

Rgb colorOf(float value) { return Colouring(ColormapName::Viridis, Scale::Linear, {0, 1}).color(value); }

TEST(MapPainter, EveryReasonForNoValueHasAPatternOfItsOwn) {
  for (const NoValue a : {NoValue::Masked, NoValue::MaskedRow, NoValue::Hidden, NoValue::NotComputed}) {
    for (const NoValue b : {NoValue::Masked, NoValue::MaskedRow, NoValue::Hidden, NoValue::NotComputed}) {
      int different = 0;
      for (int y = 0; y < 24; ++y)
        for (int x = 0; x < 24; ++x)
          if (patternAt(a, kHatch, x, y) != patternAt(b, kHatch, x, y)) ++different;
      EXPECT_EQ(different == 0, a == b) << static_cast<int>(a) << " and " << static_cast<int>(b);
    }
  }
}

TEST(MapPainter, HiddenKeysAndRowsThatSeeNothingAreNotMaskedOnes) {
  MapPicture picture = pictureOf(4, 32);
  picture.mask = core::MapMask({{0, 1}, {0, 2}, {}, {0, 4}});
  picture.hidden = core::KeySet({0});
  const core::MapValues values{4, 4, std::vector<float>(16, 0.5F)};
  const QImage image = paint(picture, values);
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 32; ++x) {
      const int row = y / 8;
      const int column = x / 8;
      const bool visible = picture.mask->visible(row, column);
      const Rgb expected = row == 2      ? patternAt(NoValue::MaskedRow, kHatch, x, y)
                           : !visible    ? patternAt(NoValue::Masked, kHatch, x, y)
                           : column == 0 ? patternAt(NoValue::Hidden, kHatch, x, y)
                                         : colorOf(0.5F);
      ASSERT_EQ(image.pixel(x, y), expected) << x << ", " << y;
    }
  }
}

TEST(MapPainter, APixelOfSeveralBlocksIsTheirReductionWithoutMaskedAndHiddenOnes) {
  constexpr int kCells = 90;
  constexpr int kPixels = 37;
  const core::MapValues values = support::causalWeights(kCells, 2);
  for (const core::Reduction reduction : {core::Reduction::Max, core::Reduction::Mean}) {
    MapPicture picture = pictureOf(kCells, kPixels);
    picture.mask = core::MapMask(core::AttentionMask(kCells, core::Window{40}));
    picture.hidden = core::KeySet({0, 1, 2, 3, 44});
    picture.reduction = reduction;
    const QImage image = paint(picture, values);
    for (int y = 0; y < kPixels; ++y) {
      for (int x = 0; x < kPixels; ++x) {
        const core::PositionRange rows = picture.rows.blocksUnder(y, 1);
        const core::PositionRange columns = picture.columns.blocksUnder(x, 1);
        float largest = -1, sum = 0;
        int count = 0, visible = 0;
        for (core::Position i = rows.begin; i < rows.end; ++i) {
          for (core::Position j = columns.begin; j < columns.end; ++j) {
            if (j > i || i - j > 40) continue;
            ++visible;
            if (picture.hidden.contains(j)) continue;
            largest = std::max(largest, values.at(i, j));
            sum += values.at(i, j);
            ++count;
          }
        }
        if (count > 0) {
          const float value = reduction == core::Reduction::Max ? largest : sum / static_cast<float>(count);
          const Rgb pixel = image.pixel(x, y);
          // Sums in another order may fall on the other side of a step.
          ASSERT_TRUE(pixel == colorOf(value) || pixel == colorOf(value * 1.000001F) ||
                      pixel == colorOf(value * 0.999999F))
              << x << ", " << y;
        } else {
          ASSERT_EQ(image.pixel(x, y), patternAt(visible > 0 ? NoValue::Hidden : NoValue::Masked, kHatch, x, y))
              << x << ", " << y;
        }
      }
    }
  }
}

TEST(MapPainter, OfDifferencesTheLargestMagnitudeIsSeenWithItsSign) {
  MapPicture picture = pictureOf(4, 2, {-1, 1});
  picture.reduction = core::Reduction::MaxMagnitude;
  const QImage image =
      paint(picture, {4, 4, {0.1F, -0.9F, 0, 0.2F, 0.3F, 0, -0.1F, 0, 0, 0, 0.5F, 0.6F, 0, 0, 0, -0.4F}});
  const Colouring colouring(ColormapName::Viridis, Scale::Linear, {-1, 1});
  EXPECT_EQ(image.pixel(0, 0), colouring.color(-0.9F));
  EXPECT_EQ(image.pixel(1, 0), colouring.color(0.2F));
  EXPECT_EQ(image.pixel(0, 1), colouring.color(0));
  EXPECT_EQ(image.pixel(1, 1), colouring.color(0.6F));
}

TEST(MapPainter, WithoutARangeAllCellsWait) {
  MapPicture picture = pictureOf(3, 24);
  picture.colours = nullptr;
  const QImage image = paint(picture, {3, 3, std::vector<float>(9, 0.5F)});
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 24; ++x) ASSERT_EQ(image.pixel(x, y), patternAt(NoValue::NotComputed, kHatch, x, y));
}

TEST(MapPainter, APartOfTheImageIsThatPartOfTheWhole) {
  const core::MapValues values = support::causalWeights(50, 5);
  MapPicture picture = pictureOf(50, 130);
  picture.mask = core::MapMask(core::AttentionMask(50));
  picture.rows.scale = picture.columns.scale = 7.3;
  picture.rows.offset = 41;
  picture.columns.offset = 17;
  const auto lines = [&](std::int64_t row, const core::PositionRange& blocks, MapLine& line) {
    for (std::int64_t column = blocks.begin; column < blocks.end; ++column) {
      line.values[static_cast<std::size_t>(column - blocks.begin)] = values.at(row, column);
      line.known[static_cast<std::size_t>(column - blocks.begin)] = 1;
    }
  };
  QImage whole(130, 130, QImage::Format_RGB32);
  paintMap(whole, picture, lines);
  QImage parts(130, 130, QImage::Format_RGB32);
  parts.fill(Qt::black);
  for (const core::PositionRange rows : {core::PositionRange{0, 31}, core::PositionRange{31, 130}})
    for (const core::PositionRange columns : {core::PositionRange{0, 77}, core::PositionRange{77, 130}})
      paintMap(parts, picture, lines, rows, columns);
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace widgets
