// What the map panel shows as a figure, and as labels and settings for files.
#pragma once

#include "core/map_export.h"
#include "widgets/heatmap/figure.h"
#include "widgets/heatmap/map_panel.h"

namespace app {

/// The maps as they are on the screen: the same part, colours and order.
widgets::Figure shownFigure(widgets::MapPanel& panel, const widgets::ViewState& state);

/// The part of the first map that is on the screen, for core::exportMap() and core::tsvOf().
core::MapExport shownNumbers(widgets::MapPanel& panel, const widgets::ViewState& state);

}  // namespace app
