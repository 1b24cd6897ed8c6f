// Colour maps against their published colours, scales against their formulas.
#include "widgets/heatmap/colormap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/map_words.h"

namespace widgets {
namespace {

/// CIE lightness L* of an sRGB colour (IEC 61966-2-1, D65).
double lightness(Rgb color) {
  const auto linear = [](Rgb byte) {
    const double c = (byte & 0xffu) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double y = 0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8) + 0.0722 * linear(color);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(Colormap, EndsAndMiddleAreAsPublished) {
  struct Published {
    ColormapName name;
    Rgb first, middle, last;  // entries 0, 127, 255 as matplotlib.colormaps gives them
  };
  for (const Published& published : {Published{ColormapName::Viridis, 0xff440154, 0xff21908d, 0xfffde725},
                                     Published{ColormapName::Magma, 0xff000004, 0xffb5367a, 0xfffcfdbf},
                                     Published{ColormapName::Inferno, 0xff000004, 0xffba3655, 0xfffcffa4},
                                     Published{ColormapName::Cividis, 0xff00224e, 0xff7c7b78, 0xfffee838},
                                     Published{ColormapName::Grey, 0xff000000, 0xff7f7f7f, 0xffffffff}}) {
    const auto& table = colormapTable(published.name);
    EXPECT_EQ(table[0], published.first) << colormapName(published.name).toStdString();
    EXPECT_EQ(table[127], published.middle) << colormapName(published.name).toStdString();
    EXPECT_EQ(table[255], published.last) << colormapName(published.name).toStdString();
  }
}

TEST(Colormap, SequentialMapsGetLighterAllTheWay) {
  for (const ColormapName name :
       {ColormapName::Viridis, ColormapName::Magma, ColormapName::Inferno, ColormapName::Cividis, ColormapName::Grey}) {
    const auto& table = colormapTable(name);
    // A step is about 0.3; rounding to 8 bits may take back a little of it.
    for (std::size_t i = 4; i < table.size(); ++i)
      EXPECT_GT(lightness(table[i]), lightness(table[i - 4])) << colormapName(name).toStdString() << " at " << i;
  }
}

TEST(Colormap, DivergingIsLightestInTheMiddleAndEquallyLightOnBothSides) {
  const auto& table = colormapTable(ColormapName::Diverging);
  EXPECT_EQ(table[127], table[128]);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_NEAR(lightness(table[i]), lightness(table[255 - i]), 2.0) << "at " << i;
  for (std::size_t i = 4; i < 128; ++i) EXPECT_GT(lightness(table[i]), lightness(table[i - 4])) << "at " << i;
}

TEST(Colormap, WhatIsNoValueHasAColourOfNoMap) {
  for (const ColormapName name : kColormaps) {
    for (const Rgb entry : colormapTable(name)) {
      for (const Rgb other : {kNanColor, kAboveColor, kBelowColor, kLightHatch.ground, kLightHatch.line,
                              kDarkHatch.ground, kDarkHatch.line})
        ASSERT_NE(entry, other) << colormapName(name).toStdString();
    }
  }
}

TEST(Colormap, NanAndInfinitiesHaveTheirOwnColours) {
  const Colouring colouring(ColormapName::Viridis, Scale::Log, {0, 1});
  EXPECT_EQ(colouring.color(std::nanf("")), kNanColor);
  EXPECT_EQ(colouring.color(std::numeric_limits<float>::infinity()), kAboveColor);
  EXPECT_EQ(colouring.color(-std::numeric_limits<float>::infinity()), kBelowColor);
}

TEST(Colormap, ScalesFollowTheirFormulas) {
  EXPECT_DOUBLE_EQ(shaped(Scale::Linear, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(shaped(Scale::PerRow, 0.3), 0.3);
  EXPECT_DOUBLE_EQ(shaped(Scale::SquareRoot, 0.25), 0.5);
  EXPECT_DOUBLE_EQ(shaped(Scale::Log, 1), 1);
  EXPECT_DOUBLE_EQ(shaped(Scale::Log, 0.01), 0.5);
  EXPECT_DOUBLE_EQ(shaped(Scale::Log, 1e-9), 0);
  EXPECT_DOUBLE_EQ(shaped(Scale::Log, 0), 0);
}

TEST(Colormap, TicksAreWhereTheirValuesAre) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> place(0.02, 0.98);
  for (const Scale scale : kScales) {
    for (const ColormapName name : {ColormapName::Viridis, ColormapName::Diverging}) {
      for (const core::ValueRange range : {core::ValueRange{0, 0.87f}, core::ValueRange{-3, 5}}) {
        const Colouring colouring(name, scale, range);
        for (int i = 0; i < 50; ++i) {
          const double at = place(random);
          EXPECT_NEAR(colouring.place(colouring.valueAt(at)), at, 1e-9);
        }
      }
    }
  }
}

TEST(Colormap, LinearWeightsFillTheTableEvenly) {
  const Colouring colouring(ColormapName::Viridis, Scale::Linear, {0, 0.5f});
  const auto& table = colormapTable(ColormapName::Viridis);
  EXPECT_EQ(colouring.color(0), table[0]);
  EXPECT_EQ(colouring.color(0.25f), table[128]);
  EXPECT_EQ(colouring.color(0.5f), table[255]);
  EXPECT_EQ(colouring.color(0.7f), table[255]) << "beyond the range";
  EXPECT_EQ(colouring.color(-0.1f), table[0]) << "beyond the range";
}

TEST(Colormap, DivergingIsCentredOnZeroWhateverTheRange) {
  for (const core::ValueRange range : {core::ValueRange{-1, 4}, core::ValueRange{-4, 1}, core::ValueRange{1, 4}}) {
    const Colouring colouring(ColormapName::Diverging, Scale::Linear, range);
    const auto& table = colormapTable(ColormapName::Diverging);
    EXPECT_EQ(colouring.color(0), table[128]);
    EXPECT_EQ(colouring.color(-4), table[0]);
    EXPECT_EQ(colouring.color(4), table[255]);
    EXPECT_EQ(colouring.color(2), table[192]);
  }
}

TEST(Colormap, AnEmptyRangeHasAColourAndNoFault) {
  EXPECT_EQ(Colouring(ColormapName::Viridis, Scale::Log, {0, 0}).color(0), colormapTable(ColormapName::Viridis)[0]);
  EXPECT_EQ(Colouring(ColormapName::Diverging, Scale::Log, {0, 0}).color(0),
            colormapTable(ColormapName::Diverging)[128]);
}

TEST(Colormap, WeightsStartAtZeroAndScoresWhereTheyStart) {
  EXPECT_EQ(colorRange(core::Stage::Weights, {0.1f, 0.5f}).low, 0);
  EXPECT_EQ(colorRange(core::Stage::Scores, {-2, 3}).low, -2);
}

}  // namespace
}  // namespace widgets
