// A map as an image of its cells alone, the same pixels as in the window.
#pragma once

#include <QImage>
#include <optional>

#include "core/map_source.h"
#include "widgets/state/colouring.h"

namespace widgets {

/// Every cell pixelsPerCell x pixelsPerCell pixels, masked cells hatched. part: the cells drawn; nullopt: all.
/// Heavy: not for the GUI thread. Errors: TooLarge when the image would be over 30,000 pixels wide or high, Mismatch
/// when the part is not inside the map, OutOfMemory, Cancelled.
QImage renderMapImage(const core::MapSource& source, core::Stage stage, const ColourChoice& colours, int pixelsPerCell,
                      const core::Progress& progress = {}, const std::optional<core::MapRect>& part = std::nullopt);

}  // namespace widgets
