#include "widgets/heatmap/tile_order.h"

#include <algorithm>

namespace widgets {

namespace {

constexpr std::int64_t kCheapOverview = 8192 * 8192;  // cells: about as much work as a screen of single ones

TileKey withKind(TileKey key, TileKey::Kind kind, std::int64_t row) {
  key.kind = kind;
  key.level = 0;
  key.row = row;
  key.column = 0;
  key.reduction = core::Reduction::Max;
  return key;
}

core::PositionRange tilesOver(const core::PositionRange& cells, std::int64_t tileCells) {
  return {cells.begin / tileCells, (cells.end + tileCells - 1) / tileCells};
}

}  // namespace

TileKey rangeKey(const TileKey& base) { return withKind(base, TileKey::Kind::Range, 0); }

TileKey ranksKey(const TileKey& base) { return withKind(base, TileKey::Kind::Ranks, 0); }

TileKey rowRangesKey(const TileKey& base, std::int64_t row) { return withKind(base, TileKey::Kind::RowRanges, row); }

TileKey valuesKey(const TileKey& base, int level, std::int64_t row, std::int64_t column) {
  TileKey key = base;
  key.kind = TileKey::Kind::Values;
  key.level = level;
  key.row = row;
  key.column = column;
  // Single cells are the same for every reduction.
  if (level == 0) key.reduction = core::Reduction::Max;
  return key;
}

int coarsestLevel(const core::MapRect& extent) {
  const std::int64_t longest = std::max(extent.rows.size(), extent.columns.size());
  int level = 0;
  while ((kTileSize << level) < longest) ++level;
  return level;
}

std::vector<TileKey> tilesInOrder(const TileNeed& need) {
  const std::int64_t tileCells = kTileSize << need.level;
  const core::PositionRange rows = tilesOver(need.visible.rows, tileCells);
  const core::PositionRange columns = tilesOver(need.visible.columns, tileCells);

  struct Candidate {
    std::int64_t distance;
    TileKey key;
  };
  std::vector<Candidate> values;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
      const core::PositionRange cellRows{row * tileCells, std::min(need.extent.rows.end, (row + 1) * tileCells)};
      const core::PositionRange cellColumns{column * tileCells,
                                            std::min(need.extent.columns.end, (column + 1) * tileCells)};
      if (need.mask && !need.mask->anyVisible(cellRows, cellColumns)) continue;
      const std::int64_t down = row - need.focusRow / tileCells;
      const std::int64_t right = column - need.focusColumn / tileCells;
      values.push_back({down * down + right * right, valuesKey(need.base, need.level, row, column)});
    }
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });

  std::vector<TileKey> order{rangeKey(need.base)};
  const TileKey coarsest = valuesKey(need.base, coarsestLevel(need.extent), 0, 0);
  const bool coarsestFirst = need.extent.cells() <= kCheapOverview || need.level == coarsest.level;
  if (coarsestFirst) order.push_back(coarsest);
  if (need.ranks) order.push_back(ranksKey(need.base));
  if (need.rowRanges) {
    const core::PositionRange ranges = tilesOver(need.visible.rows, kTileSize);
    for (std::int64_t row = ranges.begin; row < ranges.end; ++row) {
      order.push_back(rowRangesKey(need.base, row));
    }
  }
  for (const Candidate& value : values) {
    if (!coarsestFirst || value.key != coarsest) order.push_back(value.key);
  }
  if (!coarsestFirst) order.push_back(coarsest);
  return order;
}

}  // namespace widgets
