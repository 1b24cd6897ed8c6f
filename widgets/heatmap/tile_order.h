// Which tiles a view needs, the most useful first.
#pragma once

#include <vector>

#include "widgets/heatmap/tile_cache.h"

namespace widgets {

struct TileNeed {
  TileKey base;  ///< map, stage and reduction; the rest is filled in
  core::MapRect extent;
  core::MapRect visible;  ///< cells on the screen
  int level = 0;
  const core::MapMask* mask = nullptr;  ///< tiles without a visible cell are left out; null: all have values
  bool ranks = false;
  bool rowRanges = false;
  core::Position focusRow = 0;  ///< tiles near this cell come first
  core::Position focusColumn = 0;
};

/// Keys of the parts of a map; `base` gives map, stage and reduction, the tile is counted in tiles.
TileKey rangeKey(const TileKey& base);
TileKey ranksKey(const TileKey& base);
TileKey rowRangesKey(const TileKey& base, std::int64_t row);
TileKey valuesKey(const TileKey& base, int level, std::int64_t row, std::int64_t column);

/// The level at which one tile covers the whole map.
int coarsestLevel(const core::MapRect& extent);

/// The value range, then the coarsest tile (so that there is a picture at once), then row ranges and values on the
/// screen, nearest to the focus first. The coarsest tile of a very large map costs more than the screen: it comes last.
std::vector<TileKey> tilesInOrder(const TileNeed& need);

}  // namespace widgets
