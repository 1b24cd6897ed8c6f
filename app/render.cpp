#include "app/render.h"

#include <QImage>
#include <algorithm>

#include "app/colour_words.h"
#include "app/picture_file.h"
#include "core/attention_map.h"
#include "widgets/heatmap/map_image.h"

namespace app {

namespace {

constexpr std::int64_t kUsualSide = 1000;
constexpr std::int64_t kLargestUsualCell = 32;

QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// So that a picture still says what it shows when it is found in a folder a year later.
void describe(QImage& image, const core::Capture& capture, const Arguments& arguments) {
  std::string prompt;
  for (const core::TokenText& token : capture.tokens()) prompt += token.bytes;
  image.setText("Software", "Headscope " HEADSCOPE_VERSION);
  image.setText("Model", text(capture.model().name));
  image.setText("Prompt", text(prompt));
  image.setText("Head", text("layer " + std::to_string(arguments.layer) + ", head " + std::to_string(arguments.head)));
  image.setText("Colours", QString("%1, %2").arg(wordOf(kColormapWords, arguments.colormap),
                                                 wordOf(kScaleWords, arguments.scale)));
}

}  // namespace

Picture renderPicture(const std::shared_ptr<const core::Capture>& capture, const Arguments& arguments) {
  const core::AttentionMap map(capture, {core::Layer(arguments.layer), core::Head(arguments.head)});
  const core::MapRect extent = map.extent(arguments.stage);
  const std::int64_t usual = kUsualSide / std::max(extent.rows.size(), extent.columns.size());
  const int cell = arguments.cell.value_or(static_cast<int>(std::clamp<std::int64_t>(usual, 1, kLargestUsualCell)));
  QImage image = widgets::renderMapImage(map, arguments.stage, arguments.scale, arguments.colormap, cell);
  describe(image, *capture, arguments);
  return {encodePng(image), image.width(), image.height(), cell};
}

}  // namespace app
