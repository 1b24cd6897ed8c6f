// What is drawn over the map's pixels: crosshair, pin, numbers in large cells, this head's slice.
#pragma once

#include <QPainter>
#include <functional>
#include <optional>

#include "widgets/heatmap/heatmap_geometry.h"
#include "widgets/heatmap/map_painter.h"

namespace widgets {

/// Where overlays are drawn: device pixels of the map, logical pixels of the painter.
struct OverlayPlace {
  const AxisMapping& rows;
  const AxisMapping& columns;
  double devicePixelRatio = 1;

  QRectF cells(const core::MapRect& rect) const;  ///< in logical pixels, as far as it is in the viewport
  QRectF map() const;                             ///< the part of the viewport with map in it
};

/// Two lines along the row and two along the column, so that the cell itself stays visible.
void drawCrosshair(QPainter& painter, const OverlayPlace& place, std::optional<core::Position> row,
                   std::optional<core::Position> column);

void drawPin(QPainter& painter, const OverlayPlace& place, core::Position row, core::Position column);

/// The columns that belong to the shown head.
void drawSlice(QPainter& painter, const OverlayPlace& place, const core::PositionRange& columns);

struct CellText {
  QString text;  ///< empty: nothing to write (masked, or not computed yet)
  Rgb ground = 0;
};

/// Whether a number has room in a cell.
bool cellsHoldNumbers(const OverlayPlace& place, const QFont& font);
void drawNumbers(QPainter& painter, const OverlayPlace& place,
                 const std::function<CellText(core::Position row, core::Position column)>& textOf);

/// Three significant digits: "0.0412", "-3.21", "1.2e-06".
QString shortNumber(double value);

}  // namespace widgets
