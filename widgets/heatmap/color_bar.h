// The colours of the map with their numbers.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/heatmap/colormap.h"

namespace widgets {

class ColorBar : public QWidget {
  Q_OBJECT
 public:
  explicit ColorBar(QWidget* parent = nullptr);

  /// range: of the whole map (colorRange()); nullopt while it is computed, then the bar has no numbers.
  void setColours(ColormapName colormap, Scale scale, core::Stage stage, std::optional<core::ValueRange> range);

  /// The number at a place of the bar, 0 at the bottom, 1 at the top; relative words when every row has its own range.
  QString tickText(double place) const;

  static QString unit(core::Stage stage);  ///< of its numbers, to be written above it

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {sizeHint().width(), 60}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ColormapName m_colormap = ColormapName::Viridis;
  Scale m_scale = Scale::Linear;
  core::Stage m_stage = core::Stage::Weights;
  std::optional<core::ValueRange> m_range;
};

}  // namespace widgets
