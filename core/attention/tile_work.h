// A rectangle of a map cut into tiles that fit in a core's cache, and worked on by LibTorch's threads.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "core/attention_map.h"

namespace core::attention {

/// Half a megabyte of cells: several passes over a tile read it from a core's own cache.
inline constexpr std::int64_t kTileRows = 512;
inline constexpr std::int64_t kTileColumns = 256;
inline constexpr std::int64_t kTileCells = kTileRows * kTileColumns;

/// Pieces of at most `longest` positions, all about as long. Blocks of `block` positions are counted from the range's
/// begin; a piece holds whole blocks (but for the range's last one) or lies in one block.
std::vector<PositionRange> pieces(PositionRange range, std::int64_t block, std::int64_t longest);

/// Every pair of a piece of the rows and a piece of the columns, row by row.
std::vector<MapRect> tilesOf(const std::vector<PositionRange>& rows, const std::vector<PositionRange>& columns);

/// `workspace` (kTileCells) is the thread's own and holds anything.
using TileWork = std::function<void(const MapRect& tile, const at::Tensor& workspace)>;

/// Does each tile once, in any order, several at a time; what they write together they have to guard. Progress is
/// reported from the calling thread between strips of tiles. Errors: the first one of `work`; Cancelled.
void forEachTile(const std::vector<MapRect>& tiles, const Progress& progress, const TileWork& work);

}  // namespace core::attention
