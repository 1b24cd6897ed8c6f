#include "widgets/heatmap/tile_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace widgets {

namespace {

constexpr std::int64_t kBand = 64;  // rows between two looks at "cancelled?"

core::MapValues rowRanges(const core::MapSource& source, const TileKey& key, const core::Progress& progress) {
  const core::MapRect extent = source.extent(key.stage);
  const core::MapMask mask = source.mask();
  const core::KeySet hidden = source.hidden();
  const core::PositionRange rows{key.row * kTileSize, std::min(extent.rows.end, (key.row + 1) * kTileSize)};
  core::MapValues result{rows.size(), 2, {}};
  for (core::Position begin = rows.begin; begin < rows.end; begin += kBand) {
    progress.report(0, "map");
    const core::PositionRange band{begin, std::min(rows.end, begin + kBand)};
    const core::PositionRange columns = core::hasKeys(key.stage) ? mask.visibleKeys(band) : extent.columns;
    const core::MapValues values = source.rectangle(key.stage, {band, columns});
    for (core::Position row = band.begin; row < band.end; ++row) {
      const float* first = values.values.data() + (row - band.begin) * values.columns;
      const core::ValueRange range =
          rowRange(key.stage, mask, hidden, row, {first, static_cast<std::size_t>(values.columns)}, columns.begin);
      result.values.push_back(range.low);
      result.values.push_back(range.high);
    }
  }
  return result;
}

core::MapValues blockValues(const core::MapSource& source, const TileKey& key, const core::Progress& progress) {
  const core::MapRect extent = source.extent(key.stage);
  const std::int64_t block = std::int64_t{1} << key.level;
  const std::int64_t tileCells = kTileSize * block;
  const core::MapRect tile{{key.row * tileCells, std::min(extent.rows.end, (key.row + 1) * tileCells)},
                           {key.column * tileCells, std::min(extent.columns.end, (key.column + 1) * tileCells)}};
  if (key.level == 0) return source.rectangle(key.stage, tile);
  return source.overview(key.stage, tile, block, key.reduction, progress);
}

}  // namespace

core::ValueRange rowRange(core::Stage stage, const core::MapMask& mask, const core::KeySet& hidden, core::Position row,
                          std::span<const float> values, core::Position first) {
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  const core::PositionRange all{first, first + static_cast<core::Position>(values.size())};
  // Of scores from before the mask too: a row's own range is that of what the query may look at.
  core::PositionRange counted = all;
  if (core::hasKeys(stage)) {
    const core::PositionRange keys = mask.visibleKeys(row);
    counted = {std::max(all.begin, keys.begin), std::min(all.end, keys.end)};
  }
  for (core::Position column = counted.begin; column < counted.end; ++column) {
    const float value = values[static_cast<std::size_t>(column - first)];
    if (!std::isfinite(value) || (!hidden.empty() && core::hasKeys(stage) && hidden.contains(column))) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return low <= high ? core::ValueRange{low, high} : core::ValueRange{};
}

TileData computeTile(const core::MapSource& source, const TileKey& key, const core::Progress& progress) {
  progress.report(0, "map");
  switch (key.kind) {
    case TileKey::Kind::Range: {
      const core::ValueRange range = source.range(key.stage, progress);
      return {{1, 2, {range.low, range.high}}};
    }
    case TileKey::Kind::Ranks:
      return {{}, std::make_shared<const core::ValueRanks>(core::ValueRanks::of(source, key.stage, progress))};
    case TileKey::Kind::RowRanges: return {rowRanges(source, key, progress)};
    case TileKey::Kind::Values: return {blockValues(source, key, progress)};
  }
  return {};
}

}  // namespace widgets
