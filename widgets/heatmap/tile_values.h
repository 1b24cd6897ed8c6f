// Computes a tile from a map; runs on the worker.
#pragma once

#include <span>

#include "core/progress.h"
#include "widgets/heatmap/map_source.h"
#include "widgets/heatmap/tile_cache.h"

namespace widgets {

/// Shape: see TileKey::Kind. In bands, so that cancelling is heard. Errors: those of core::AttentionMap, Cancelled.
core::MapValues computeTile(const MapSource& source, const TileKey& key, const core::Progress& progress);

/// Smallest and largest finite value of a whole row of a stage: visible keys only where columns are keys. {0, 0} if
/// none.
core::ValueRange rowRange(core::Stage stage, const core::AttentionMask& mask, core::Position row,
                          std::span<const float> values);

}  // namespace widgets
