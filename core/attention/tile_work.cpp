#include "core/attention/tile_work.h"

#include <algorithm>

#include "core/attention/parallel_tasks.h"

namespace core::attention {

namespace {

constexpr std::int64_t kStripCells = 256 * kTileCells;  // about 4 GFLOP at D = 64

std::int64_t divideUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::vector<PositionRange> pieces(PositionRange range, std::int64_t block, std::int64_t longest) {
  const std::int64_t group = block < longest ? longest / block * block : block;
  const std::int64_t step = divideUp(group, divideUp(group, longest));
  std::vector<PositionRange> result;
  for (Position begin = range.begin; begin < range.end; begin = result.back().end) {
    const Position groupEnd = range.begin + ((begin - range.begin) / group + 1) * group;
    result.push_back({begin, std::min({begin + step, groupEnd, range.end})});
  }
  return result;
}

std::vector<MapRect> tilesOf(const std::vector<PositionRange>& rows, const std::vector<PositionRange>& columns) {
  std::vector<MapRect> tiles;
  tiles.reserve(rows.size() * columns.size());
  for (const PositionRange& r : rows) {
    for (const PositionRange& c : columns) tiles.push_back({r, c});
  }
  return tiles;
}

void forEachTile(const std::vector<MapRect>& tiles, const Progress& progress, const TileWork& work) {
  const auto count = static_cast<std::int64_t>(tiles.size());
  std::vector<at::Tensor> workspaces;
  for (std::int64_t thread = 0; thread < threadsFor(count); ++thread) workspaces.push_back(at::empty({kTileCells}));
  for (std::int64_t begin = 0, end = 0; begin < count; begin = end) {
    progress.report(static_cast<double>(begin) / static_cast<double>(count), "map");
    for (std::int64_t cells = 0; end < count && cells < kStripCells; ++end)
      cells += tiles[static_cast<std::size_t>(end)].cells();
    forEachTask(end - begin, [&](std::int64_t task, std::int64_t thread) {
      work(tiles[static_cast<std::size_t>(begin + task)], workspaces[static_cast<std::size_t>(thread)]);
    });
  }
}

}  // namespace core::attention
