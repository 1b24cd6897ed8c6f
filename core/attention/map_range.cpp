#include "core/attention/map_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/attention/attention_tiles.h"
#include "core/attention/head_tensors.h"
#include "core/attention/tile_work.h"

namespace core::attention {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Of the cells that count and are finite, whatever else is among them.
ValueRange rangeOf(const at::Tensor& values, const at::Tensor& counted) {
  const at::Tensor chosen = values.masked_select(counted.logical_and(at::isfinite(values)));
  if (chosen.numel() == 0) return {kInfinity, -kInfinity};
  return {chosen.min().item<float>(), chosen.max().item<float>()};
}

/// Smallest and largest first, before the exponential; only a tile with a value that is not finite is looked at cell by
/// cell.
ValueRange keyRange(const Capture::Data& data, HeadId id, const HeadTensors& head, Stage stage, const MapRect& rect,
                    const KeySet& hidden, at::Tensor cells) {
  const bool border = stage != Stage::Scores && !head.mask.allVisible(rect.rows, rect.columns);
  turnedProductsInto(cells, head, rect);
  if (border) fillHiddenTurned(cells, head.mask, rect, -kInfinity);
  fillKeysTurned(cells, hidden, rect, -kInfinity);
  at::Tensor high = cells.amax(0).mul_(head.scale);  // (rows); -infinity where a query sees nothing of the tile
  if (border) fillHiddenTurned(cells, head.mask, rect, kInfinity);
  fillKeysTurned(cells, hidden, rect, kInfinity);
  at::Tensor low = cells.amin(0).mul_(head.scale);
  if (stage == Stage::Weights) {
    high.sub_(part(head.lse, rect.rows));
    low.sub_(part(head.lse, rect.rows));
  }
  const float smallest = low.min().item<float>();
  const float largest = high.max().item<float>();
  if (!std::isfinite(smallest) || !std::isfinite(largest)) {
    at::Tensor counted = countedCells(data, id, stage, rect);
    fillKeysTurned(counted.t(), hidden, rect, 0);
    return rangeOf(tile(data, id, stage, rect, {}), counted);
  }
  if (stage == Stage::Weights) return {std::exp(smallest), std::exp(largest)};
  return {smallest, largest};
}

}  // namespace

ValueRange range(const Capture::Data& data, HeadId head, Stage stage, const MapRect& extent, const KeySet& hidden,
                 const Progress& progress) {
  ValueRange result{kInfinity, -kInfinity};
  const auto widen = [&](const ValueRange& more) {
    result = {std::min(result.low, more.low), std::max(result.high, more.high)};
  };
  if (hasKeys(stage)) {
    const HeadTensors tensors = headTensors(data, head);
    std::vector<MapRect> tiles = tilesOf(pieces(extent.rows, 1, kTileRows), pieces(extent.columns, 1, kTileColumns));
    if (stage != Stage::Scores)
      std::erase_if(tiles, [&](const MapRect& tile) { return !tensors.mask.anyVisible(tile.rows, tile.columns); });
    std::mutex mutex;
    forEachTile(tiles, progress, [&](const MapRect& tile, const at::Tensor& workspace) {
      const at::Tensor cells = workspace.narrow(0, 0, tile.cells()).view({tile.columns.size(), tile.rows.size()});
      const ValueRange ofTile = keyRange(data, head, tensors, stage, tile, hidden, cells);
      const std::lock_guard lock(mutex);
      widen(ofTile);
    });
  } else {
    for (const PositionRange& rows : pieces(extent.rows, 1, kTileRows)) {
      const double share = static_cast<double>(rows.begin) / static_cast<double>(extent.rows.end);
      const at::Tensor values = tile(data, head, stage, {rows, extent.columns}, progress.part(share, share));
      widen(rangeOf(values, at::ones_like(values, at::kBool)));
    }
  }
  return result.low <= result.high ? result : ValueRange{};
}

}  // namespace core::attention
