// A whole map as an image, the same pixels as in the window.
#pragma once

#include <QImage>

#include "widgets/heatmap/map_source.h"
#include "widgets/state/view_state.h"

namespace widgets {

/// Every cell pixelsPerCell x pixelsPerCell pixels, masked cells hatched. Heavy: not for the GUI thread.
/// Errors: TooLarge when the image would be over 30,000 pixels wide or high, OutOfMemory.
QImage renderMapImage(const core::AttentionMap& map, core::Stage stage, Scale scale, ColormapName colormap,
                      int pixelsPerCell);
QImage renderMapImage(const MapSource& source, core::Stage stage, Scale scale, ColormapName colormap,
                      int pixelsPerCell);

}  // namespace widgets
