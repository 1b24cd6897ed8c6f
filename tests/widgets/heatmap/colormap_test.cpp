// Colour maps against their published colours, scales against their formulas.
#include "widgets/heatmap/colormap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
      const SpecialColours& specials = specialColours(name);
      for (const Rgb other : {specials.notANumber, specials.above, specials.below, kLightHatch.ground, kLightHatch.line,
                              kDarkHatch.ground, kDarkHatch.line})
        ASSERT_NE(entry, other) << colormapName(name).toStdString();
    }
  }
}

/// How people with a colour-vision defect see a colour, in linear light.
/// Source: Machado, Oliveira and Fernandes 2009, table 1, severity 1.0.
using Matrix = std::array<std::array<double, 3>, 3>;
constexpr std::array<Matrix, 4> kVision{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

/// CIELAB (D65) of an sRGB colour as seen.
std::array<double, 3> lab(Rgb color, const Matrix& vision) {
  std::array<double, 3> linear{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = ((color >> (16 - 8 * i)) & 0xffu) / 255.0;
    linear[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  std::array<double, 3> seen{};
  for (std::size_t i = 0; i < 3; ++i)
    seen[i] = std::clamp(vision[i][0] * linear[0] + vision[i][1] * linear[1] + vision[i][2] * linear[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124564 * seen[0] + 0.3575761 * seen[1] + 0.1804375 * seen[2]) / 0.95047);
  const double y = f(0.2126729 * seen[0] + 0.7151522 * seen[1] + 0.0721750 * seen[2]);
  const double z = f((0.0193339 * seen[0] + 0.1191920 * seen[1] + 0.9503041 * seen[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double distance(Rgb a, Rgb b, const Matrix& vision) {
  const auto one = lab(a, vision);
  const auto other = lab(b, vision);
  return std::hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);
}

TEST(Colormap, SpecialColoursAreToldFromTheMapWithEveryVision) {
  for (const ColormapName name : kColormaps) {
    const SpecialColours& specials = specialColours(name);
    const std::array colours{specials.notANumber, specials.below, specials.above};
    for (const Matrix& vision : kVision) {
      for (std::size_t i = 0; i < colours.size(); ++i) {
        for (const Rgb entry : colormapTable(name))
          ASSERT_GE(distance(colours[i], entry, vision), 28) << colormapName(name).toStdString() << " " << i;
        for (std::size_t j = i + 1; j < colours.size(); ++j)
          EXPECT_GE(distance(colours[i], colours[j], vision), 28) << colormapName(name).toStdString();
      }
    }
  }
}

TEST(Colormap, DivergingSidesAreToldApartWithEveryVision) {
  const auto& table = colormapTable(ColormapName::Diverging);
  for (const Matrix& vision : kVision)
    for (std::size_t i = 0; i < 96; ++i) EXPECT_GE(distance(table[i], table[255 - i], vision), 10) << "at " << i;
}

TEST(Colormap, NanAndInfinitiesHaveTheirOwnColours) {
  const Colouring colouring(ColormapName::Viridis, Scale::Log, {0, 1});
  EXPECT_EQ(colouring.color(std::nanf("")), specialColours(ColormapName::Viridis).notANumber);
  EXPECT_EQ(colouring.color(std::numeric_limits<float>::infinity()), specialColours(ColormapName::Viridis).above);
  EXPECT_EQ(colouring.color(-std::numeric_limits<float>::infinity()), specialColours(ColormapName::Viridis).below);
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
  EXPECT_EQ(colouring.color(0.500001f), table[255]) << "the rounding of an overview is not outside";
  EXPECT_EQ(colouring.color(0.7f), specialColours(ColormapName::Viridis).above);
  EXPECT_EQ(colouring.color(-0.1f), specialColours(ColormapName::Viridis).below);
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
