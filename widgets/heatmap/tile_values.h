// Computes a tile from a map; runs on the worker.
#pragma once

#include <span>

#include "core/progress.h"
#include "widgets/heatmap/tile_cache.h"

namespace widgets {

/// Shape: see TileKey::Kind. In bands, so that cancelling is heard. Errors: those of core::AttentionMap, Cancelled.
TileData computeTile(const core::MapSource& source, const TileKey& key, const core::Progress& progress);

/// Smallest and largest finite value of a row of a stage: of the visible keys that are not hidden where columns are
/// keys. values: of the columns from `first` on. {0, 0} if there is none.
core::ValueRange rowRange(core::Stage stage, const core::MapMask& mask, const core::KeySet& hidden, core::Position row,
                          std::span<const float> values, core::Position first);

}  // namespace widgets
