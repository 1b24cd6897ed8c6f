// How values become colours. Names only, without Qt, so that the command line has them too.
#pragma once

#include <optional>

#include "core/map_values.h"

namespace widgets {

/// How a value becomes a place on the colour map (widgets/heatmap/colormap.h). Percentile: its place among all values.
enum class Scale { Linear, SquareRoot, Log, PerRow, Percentile };
enum class ColormapName { Viridis, Magma, Inferno, Cividis, Grey, Diverging };

/// What the user chose; the same in every panel.
struct ColourChoice {
  ColormapName colormap = ColormapName::Viridis;
  Scale scale = Scale::Linear;
  std::optional<core::ValueRange> range = {};        ///< by hand; nullopt: that of the maps shown
  core::Reduction reduction = core::Reduction::Max;  ///< of a pixel of several cells
  friend bool operator==(const ColourChoice&, const ColourChoice&) = default;
};

}  // namespace widgets
