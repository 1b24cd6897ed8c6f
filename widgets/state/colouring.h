// How values become colours. Names only, without Qt, so that the command line has them too.
#pragma once

namespace widgets {

/// How a value becomes a place on the colour map (widgets/heatmap/colormap.h).
enum class Scale { Linear, SquareRoot, Log, PerRow };
enum class ColormapName { Viridis, Magma, Inferno, Cividis, Grey, Diverging };

}  // namespace widgets
