// Labels of an axis: never on top of each other, and the ones that matter always there.
#include "widgets/heatmap/label_thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace widgets {
namespace {

AxisMapping axis(std::int64_t cells, double scale, double offset, int pixels) {
  AxisMapping made;
  made.cells = cells;
  made.scale = scale;
  made.offset = offset;
  made.pixels = pixels;
  return made;
}

bool has(const std::vector<AxisLabel>& labels, std::int64_t cell) {
  return std::any_of(labels.begin(), labels.end(), [cell](const AxisLabel& label) { return label.cell == cell; });
}

TEST(LabelThinning, LabelsNeverOverlapAndStayInTheViewport) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> scale(0.02, 60);
  std::uniform_int_distribution<std::int64_t> cells(1, 3000);
  std::size_t seen = 0;
  for (int i = 0; i < 500; ++i) {
    AxisMapping some = axis(cells(random), scale(random), 0, 600);
    some.offset = static_cast<double>(some.cells) * some.scale * 0.3;
    some.clamp();
    const double spacing = 13;
    const std::vector<AxisLabel> labels = thinnedLabels(some, spacing, some.cells / 2);
    for (std::size_t k = 1; k < labels.size(); ++k) EXPECT_GE(labels[k].centre - labels[k - 1].centre, spacing - 1e-9);
    for (const AxisLabel& label : labels) {
      EXPECT_GE(label.centre, spacing / 2);
      EXPECT_LE(label.centre, 600 - spacing / 2);
    }
    seen += labels.size();
  }
  EXPECT_GT(seen, 5000u);
}

TEST(LabelThinning, WithRoomEveryCellHasItsLabelAtItsCentre) {
  const std::vector<AxisLabel> labels = thinnedLabels(axis(20, 20, 0, 500), 13, std::nullopt);
  ASSERT_EQ(labels.size(), 20u);
  EXPECT_EQ(labels[3].cell, 3);
  EXPECT_DOUBLE_EQ(labels[3].centre, 70);
}

TEST(LabelThinning, DenseLabelsAreRoundNumbersAndTheLast) {
  const std::vector<AxisLabel> labels = thinnedLabels(axis(373, 1, 0, 500), 13, std::nullopt);
  EXPECT_TRUE(has(labels, 0));
  EXPECT_TRUE(has(labels, 20));
  EXPECT_FALSE(has(labels, 10));
  EXPECT_TRUE(has(labels, 372));
}

TEST(LabelThinning, TheHighlightedCellComesBeforeItsNeighbours) {
  const std::vector<AxisLabel> labels = thinnedLabels(axis(373, 1, 0, 500), 13, 23);
  EXPECT_TRUE(has(labels, 23));
  EXPECT_FALSE(has(labels, 20));
  EXPECT_TRUE(has(thinnedLabels(axis(373, 1, 0, 500), 13, 370), 370));
}

TEST(LabelThinning, CellsOutsideTheViewportHaveNone) {
  const std::vector<AxisLabel> labels = thinnedLabels(axis(373, 20, 2000, 500), 13, 5);
  ASSERT_FALSE(labels.empty());
  EXPECT_FALSE(has(labels, 5));
  EXPECT_FALSE(has(labels, 372));
  EXPECT_EQ(labels.front().cell, 100);
  EXPECT_EQ(labels.back().cell, 124);
}

}  // namespace
}  // namespace widgets
