#include "widgets/heatmap/heatmap_overlay.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"

namespace widgets {

namespace {

QFont numberFont(const QFont& font) {
  QFont smaller(font);
  smaller.setPointSizeF(std::max(6.0, font.pointSizeF() * 0.8));
  return smaller;
}

/// Black or white, whichever reads better (relative luminance of the ground by the weights of Rec. 709).
QColor readableOn(Rgb ground) {
  const QColor color = QColor::fromRgb(ground);
  const double luminance = 0.2126 * color.redF() + 0.7152 * color.greenF() + 0.0722 * color.blueF();
  return luminance > 0.45 ? Qt::black : Qt::white;
}

}  // namespace

QRectF OverlayPlace::cells(const core::MapRect& rect) const {
  const auto edge = [this](const AxisMapping& axis, core::Position cell) {
    return std::clamp(std::round(axis.pixelOf(static_cast<double>(cell))), -4.0, axis.pixels + 4.0) / devicePixelRatio;
  };
  return {QPointF(edge(columns, rect.columns.begin), edge(rows, rect.rows.begin)),
          QPointF(edge(columns, rect.columns.end), edge(rows, rect.rows.end))};
}

QRectF OverlayPlace::map() const { return {0, 0, columns.end() / devicePixelRatio, rows.end() / devicePixelRatio}; }

void drawCrosshair(QPainter& painter, const OverlayPlace& place, std::optional<core::Position> row,
                   std::optional<core::Position> column) {
  painter.save();
  const QRectF map = place.map();
  painter.setClipRect(map);
  painter.setPen(QPen(kShownAccent, 0));
  // The outlines end outside the clip, which leaves two lines.
  const core::PositionRange allRows{0, place.rows.cells};
  const core::PositionRange allColumns{0, place.columns.cells};
  if (row) painter.drawRect(place.cells({{*row, *row + 1}, allColumns}).adjusted(-9, 0, 9, 0));
  if (column) painter.drawRect(place.cells({allRows, {*column, *column + 1}}).adjusted(0, -9, 0, 9));
  painter.restore();
}

void drawPin(QPainter& painter, const OverlayPlace& place, core::Position row, core::Position column) {
  const QRectF cell = place.cells({{row, row + 1}, {column, column + 1}});
  painter.save();
  painter.setClipRect(place.map().adjusted(-3, -3, 3, 3));
  // At least 5 pixels, or a pinned cell at 1:1 could not be found; a pale rim keeps it visible on orange data.
  const double grow = std::max(1.0, (5 - cell.width()) / 2);
  const QRectF frame = cell.adjusted(-grow, -grow, grow, grow);
  painter.setPen(QPen(QColor(255, 255, 255, 200), 3.5));
  painter.drawRect(frame);
  painter.setPen(QPen(kShownAccent, 2));
  painter.drawRect(frame);
  painter.restore();
}

void drawSlice(QPainter& painter, const OverlayPlace& place, const core::PositionRange& columns) {
  painter.save();
  painter.setClipRect(place.map());
  painter.setPen(QPen(kShownAccent, 2));
  painter.drawRect(place.cells({{0, place.rows.cells}, columns}));
  painter.restore();
}

bool cellsHoldNumbers(const OverlayPlace& place, const QFont& font) {
  const QFontMetricsF metrics(numberFont(font));
  return place.columns.scale / place.devicePixelRatio >= metrics.horizontalAdvance(QStringLiteral("-0.0000")) + 4 &&
         place.rows.scale / place.devicePixelRatio >= metrics.height() + 2;
}

void drawNumbers(QPainter& painter, const OverlayPlace& place,
                 const std::function<CellText(core::Position row, core::Position column)>& textOf) {
  painter.save();
  painter.setFont(numberFont(painter.font()));
  const core::PositionRange rows = place.rows.visibleCells();
  const core::PositionRange columns = place.columns.visibleCells();
  for (core::Position row = rows.begin; row < rows.end; ++row) {
    for (core::Position column = columns.begin; column < columns.end; ++column) {
      const CellText cell = textOf(row, column);
      if (cell.text.isEmpty()) continue;
      const double x = place.columns.pixelOf(static_cast<double>(column)) / place.devicePixelRatio;
      const double y = place.rows.pixelOf(static_cast<double>(row)) / place.devicePixelRatio;
      painter.setPen(readableOn(cell.ground));
      painter.drawText(
          QRectF(x, y, place.columns.scale / place.devicePixelRatio, place.rows.scale / place.devicePixelRatio),
          Qt::AlignCenter, cell.text);
    }
  }
  painter.restore();
}

QString shortNumber(double value) {
  if (std::isnan(value)) return QStringLiteral("NaN");
  return std::abs(value) >= 1000 ? QString::number(value, 'f', 0) : QString::number(value, 'g', 3);
}

}  // namespace widgets
