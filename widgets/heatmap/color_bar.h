// The colours of the map with their numbers. Dragging an end of the bar chooses the range.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/heatmap/colormap.h"

namespace widgets {

class ColorBar : public QWidget {
  Q_OBJECT
 public:
  explicit ColorBar(QWidget* parent = nullptr);

  /// range: what the colours span; nullopt while it is computed, then the bar has no numbers. ranks: of
  /// Scale::Percentile.
  void setColours(const ColourChoice& colours, core::Stage stage, std::optional<core::ValueRange> range,
                  std::shared_ptr<const core::ValueRanks> ranks);

  /// The number at a place of the bar, 0 at the bottom, 1 at the top; relative words when every row has its own range.
  QString tickText(double place) const;

  static QString unit(core::Stage stage);  ///< of its numbers, to be written above it

  /// The bar itself: the rest are numbers and, with a range by hand, the colours of what is outside.
  QRectF bar() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {sizeHint().width(), 60}; }

 Q_SIGNALS:
  void rangeChosen(std::optional<core::ValueRange> range);  ///< nullopt: that of the map again

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  /// The range and colours at the press, by which the bar is read until the release.
  struct Drag {
    bool isHighEnd;
    core::ValueRange range;
    Colouring colouring;
  };

  ColourChoice m_colours;
  core::Stage m_stage = core::Stage::Weights;
  std::optional<core::ValueRange> m_range;
  std::shared_ptr<const core::ValueRanks> m_ranks;
  std::optional<Drag> m_drag;
};

}  // namespace widgets
