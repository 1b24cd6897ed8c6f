// Pixels of a map: the colour map of the value in every visible cell, hatch in the others.
#include "widgets/heatmap/map_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention_map.h"
#include "core/session.h"
#include "tests/support/files.h"
#include "tests/support/reference.h"
#include "tests/widgets/heatmap/test_map.h"
#include "widgets/heatmap/map_painter.h"

namespace widgets {
namespace {

/// The colour of a share of the range by the definition: 256 equal steps.
Rgb stepColor(ColormapName name, double share) {
  return colormapTable(name)[static_cast<std::size_t>(std::clamp(share * 256, 0.0, 255.0))];
}

TEST(MapImage, EveryPixelAtOneToOneHasTheColourOfTheReferenceWeight) {
  const support::Reference reference = support::readReference(support::data("nanogpt-shakespeare-char"));
  const auto session = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
  const auto capture = session->run({reference.tokens, {}}, core::Progress());
  ASSERT_EQ(capture->size(), reference.size);
  ASSERT_GT(reference.size, 20);
  constexpr double kTolerance = 1e-5;  // of a weight, between two ways to compute it
  int cells = 0;
  for (int layer = 0; layer < reference.layers; ++layer) {
    for (int head = 0; head < reference.heads; ++head) {
      const core::AttentionMap map(capture, {core::Layer(layer), core::Head(head)});
      const QImage image =
          renderMapImage(map, core::Stage::Weights, {.colormap = ColormapName::Viridis, .scale = Scale::Linear}, 1);
      ASSERT_EQ(image.size(), QSize(static_cast<int>(reference.size), static_cast<int>(reference.size)));
      double largest = 0;
      for (int i = 0; i < reference.size; ++i)
        for (int j = 0; j <= i; ++j) largest = std::max(largest, double(reference.weight(layer, head, i, j)));
      for (int i = 0; i < reference.size; ++i) {
        for (int j = 0; j < reference.size; ++j) {
          const Rgb pixel = image.pixel(j, i);
          if (j > i) {
            ASSERT_EQ(pixel, patternAt(NoValue::Masked, kLightHatch, j, i)) << "masked cell " << i << ", " << j;
            continue;
          }
          const double weight = double(reference.weight(layer, head, i, j));
          const Rgb below = stepColor(ColormapName::Viridis, (weight - kTolerance) / (largest + kTolerance));
          const Rgb above = stepColor(ColormapName::Viridis, (weight + kTolerance) / (largest - kTolerance));
          const Rgb exact = stepColor(ColormapName::Viridis, weight / largest);
          ASSERT_TRUE(pixel == exact || pixel == below || pixel == above)
              << "layer " << layer << " head " << head << " cell " << i << ", " << j << " weight " << weight;
          ++cells;
        }
      }
    }
  }
  EXPECT_EQ(cells, reference.layers * reference.heads * reference.size * (reference.size + 1) / 2);
}

TEST(MapImage, AWholeZoomRepeatsTheColourOfTheCell) {
  const support::TestMap map(23);
  const QImage image =
      renderMapImage(map, core::Stage::Weights, {.colormap = ColormapName::Magma, .scale = Scale::SquareRoot}, 7);
  ASSERT_EQ(image.size(), QSize(161, 161));
  for (int y = 0; y < 161; ++y) {
    for (int x = 0; x < 161; ++x) {
      const bool masked = x / 7 > y / 7;
      const double share = double(map.weight(y / 7, x / 7)) / (100.0 / 101.0);
      const Rgb expected =
          masked ? patternAt(NoValue::Masked, kLightHatch, x, y) : stepColor(ColormapName::Magma, std::sqrt(share));
      ASSERT_EQ(image.pixel(x, y), expected) << x << ", " << y;
    }
  }
}

TEST(MapImage, PerRowEveryRowReachesTheLastColour) {
  const support::TestMap map(40);
  const QImage image =
      renderMapImage(map, core::Stage::Weights, {.colormap = ColormapName::Viridis, .scale = Scale::PerRow}, 1);
  for (int row = 1; row < 40; ++row) {
    int brightest = 0;
    for (int column = 0; column <= row; ++column)
      if (image.pixel(column, row) == colormapTable(ColormapName::Viridis)[255]) ++brightest;
    EXPECT_GE(brightest, 1) << "row " << row;
  }
}

TEST(MapImage, MaskedScoresAreHatchedAndScoresBeforeTheMaskAreNot) {
  const support::TestMap map(12);
  const QImage masked =
      renderMapImage(map, core::Stage::MaskedScores, {.colormap = ColormapName::Diverging, .scale = Scale::Linear}, 1);
  const QImage scores =
      renderMapImage(map, core::Stage::Scores, {.colormap = ColormapName::Diverging, .scale = Scale::Linear}, 1);
  EXPECT_EQ(masked.pixel(11, 0), patternAt(NoValue::Masked, kLightHatch, 11, 0));
  EXPECT_NE(scores.pixel(11, 0), patternAt(NoValue::Masked, kLightHatch, 11, 0));
  EXPECT_EQ(masked.pixel(3, 8), scores.pixel(3, 8));
}

TEST(MapImage, NanInAVisibleCellIsSeen) {
  support::TestMap map(12);
  map.setSpecial(5, 2, std::nanf(""));
  map.setSpecial(6, 2, std::numeric_limits<float>::infinity());
  const QImage image =
      renderMapImage(map, core::Stage::Weights, {.colormap = ColormapName::Viridis, .scale = Scale::Linear}, 1);
  EXPECT_EQ(image.pixel(2, 5), specialColours(ColormapName::Viridis).notANumber);
  EXPECT_EQ(image.pixel(2, 6), specialColours(ColormapName::Viridis).above);
  EXPECT_NE(image.pixel(1, 5), specialColours(ColormapName::Viridis).notANumber);
}

TEST(MapImage, OneTokenIsOneCell) {
  const QImage image = renderMapImage(support::TestMap(1), core::Stage::Weights,
                                      {.colormap = ColormapName::Viridis, .scale = Scale::Linear}, 5);
  EXPECT_EQ(image.size(), QSize(5, 5));
  EXPECT_EQ(image.pixel(4, 4), colormapTable(ColormapName::Viridis)[0]);
}

TEST(MapImage, AnImageThatNoViewerOpensIsRefusedWithItsNumbers) {
  try {
    renderMapImage(support::TestMap(1024), core::Stage::Weights,
                   {.colormap = ColormapName::Viridis, .scale = Scale::Linear}, 64);
    FAIL() << "65536 pixels are too many";
  } catch (const core::Error& error) {
    EXPECT_EQ(error.kind(), core::ErrorKind::TooLarge);
    EXPECT_NE(std::string(error.what()).find("1024 x 1024 cells at 64 pixels"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace widgets
