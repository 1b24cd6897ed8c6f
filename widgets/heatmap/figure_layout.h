// Where everything of a figure stands.
#pragma once

#include "widgets/heatmap/figure.h"
#include "widgets/heatmap/figure_cells.h"

namespace widgets {

/// A figure's maps when they are computed.
struct FigureMaps {
  core::MapRect part;
  FigureBlock block;
  QSizeF pixel;    ///< size of one pixel of the maps, in points
  int across = 1;  ///< maps side by side
  std::vector<FigureCells> cells;
  std::shared_ptr<const Colouring> colouring;  ///< nullptr: every row has its own range
  QStringList settings;                        ///< all of them
};

FigureDrawing layoutFigure(const Figure& figure, const FigureMaps& maps);

}  // namespace widgets
