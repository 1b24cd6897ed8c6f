// The line of shapes.
#include "widgets/heatmap/map_words.h"

#include <gtest/gtest.h>

#include <QRegularExpression>

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

}  // namespace
}  // namespace widgets
