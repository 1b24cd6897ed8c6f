// The line of shapes.
#include "widgets/heatmap/map_words.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <limits>

namespace widgets {
namespace {

QString plain(QString text) { return text.remove("</b>").remove(QRegularExpression("<b[^>]*>")); }

TEST(MapWords, ShapesHaveTheModelsNumbers) {
  core::ModelConfig config;
  config.heads = 4;
  config.headSize = 64;
  config.embedding = 256;
  const QString all = "(372, 256) → (4, 372, 64) → (4, 372, 372) → (4, 372, 64) → (372, 256)";
  for (const core::Stage stage : kStages) EXPECT_EQ(plain(shapesLine(config, 372, stage)), all);
  EXPECT_TRUE(shapesLine(config, 372, core::Stage::Weights).contains(">(4, 372, 372)</b>"));
  EXPECT_TRUE(shapesLine(config, 372, core::Stage::Output).contains("→ <b"));
  EXPECT_TRUE(shapesLine(config, 372, core::Stage::Reassembled).endsWith("(372, 256)</b>"));
}

TEST(MapWords, BrokenRowsAreCountedAndTheFirstIsNamed) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(brokenRowsText({}, 39).isEmpty());
  EXPECT_TRUE(brokenRowsHelp({}, 39).isEmpty());
  EXPECT_EQ(brokenRowsText({12, 5, kInfinity}, 39), "12 of 39 rows do not sum to 1");
  EXPECT_EQ(brokenRowsHelp({12, 5, std::numeric_limits<float>::quiet_NaN()}, 39),
            "12 of 39 rows do not sum to 1: the first is query 5, its log-sum-exp is NaN.");
  EXPECT_EQ(brokenRowsHelp({1, 0, -kInfinity}, 1), "1 of 1 rows does not sum to 1: query 0, its log-sum-exp is -∞.");
  EXPECT_TRUE(brokenRowsHelp({2, 0, kInfinity}, 3).endsWith("is ∞."));
}

}  // namespace
}  // namespace widgets
