// The cells of one map of a figure: a pixel each, or a pixel for a whole block of them.
#pragma once

#include <QImage>
#include <QRect>
#include <vector>

#include "widgets/heatmap/map_painter.h"
#include "widgets/state/colouring.h"

namespace widgets {

/// How many cells a pixel stands for.
struct FigureBlock {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  bool isCell() const { return rows == 1 && columns == 1; }
  friend bool operator==(const FigureBlock&, const FigureBlock&) = default;
};

/// What of a map is shown, and how.
struct FigurePart {
  core::Stage stage = core::Stage::Weights;
  core::MapRect cells;
  FigureBlock block;  ///< the last ones may be smaller
  core::Reduction reduction = core::Reduction::Max;
  ColormapName colormap = ColormapName::Viridis;
  std::shared_ptr<const ColourTable> colours;  ///< nullptr: every row by its own range
};

struct FigureCells {
  QImage image;            ///< Format_ARGB32_Premultiplied; what has no value is transparent
  core::MapValues values;  ///< of the blocks
  bool anyMasked = false;
  std::vector<QRect> maskedRows;  ///< of which nothing is visible, in pixels
  std::vector<QRect> hidden;
  bool anyNan = false, anyBelow = false, anyAbove = false;  ///< outside the range of the colours
};

/// Heavy. Colours are those of the window, by the same painter. Errors: as core::MapSource.
FigureCells figureCells(const core::MapSource& source, const FigurePart& part, const core::Progress& progress);

}  // namespace widgets
