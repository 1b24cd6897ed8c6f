// The patterns of cells without a value as lines, as the window has them in pixels.
#pragma once

#include "widgets/heatmap/figure_drawing.h"
#include "widgets/heatmap/map_painter.h"

namespace widgets {

/// A rectangle full of a pattern. corner: of the map, so that patterns of neighbours go on in each other.
void drawPattern(std::vector<FigureItem>& items, NoValue why, const std::vector<QRectF>& rects, const QPointF& corner,
                 const Hatch& hatch);

}  // namespace widgets
