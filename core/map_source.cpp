#include "core/map_source.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

/// One block of cells on the way to one value.
struct Block {
  double value = 0;
  std::int64_t count = 0;

  void add(double cell, Reduction reduction) {
    const bool isFirst = count++ == 0;
    switch (reduction) {
      case Reduction::Mean: value += cell; return;
      case Reduction::Max:
        if (isFirst || cell > value || std::isnan(cell)) value = std::isnan(value) && !isFirst ? value : cell;
        return;
      case Reduction::MaxMagnitude:
        if (isFirst || std::abs(cell) > std::abs(value) || std::isnan(cell))
          value = std::isnan(value) && !isFirst ? value : cell;
        return;
    }
  }
};

}  // namespace

PositionRange countedColumns(const MapMask& mask, Stage stage, Position row, const PositionRange& columns) {
  if (!isMasked(stage)) return columns;
  const PositionRange keys = mask.visibleKeys(row);
  const Position begin = std::clamp(keys.begin, columns.begin, columns.end);
  return {begin, std::clamp(keys.end, begin, columns.end)};
}

MapValues MapSource::overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                              const Progress& progress) const {
  if (block < 1)
    throw Error(ErrorKind::Mismatch, "A block of " + std::to_string(block) + " cells was asked for; at least 1.");
  if (block == 1) return rectangle(stage, rect, progress);
  const std::int64_t rows = (rect.rows.size() + block - 1) / block;
  const std::int64_t columns = (rect.columns.size() + block - 1) / block;
  std::vector<Block> blocks(static_cast<std::size_t>(rows * columns));
  const MapMask visible = mask();
  const KeySet skipped = hasKeys(stage) ? hidden() : KeySet();
  inBands(*this, stage, rect, progress, [&](const PositionRange& band, const MapValues& values) {
    for (Position row = band.begin; row < band.end; ++row) {
      Block* line = &blocks[static_cast<std::size_t>((row - rect.rows.begin) / block * columns)];
      const PositionRange counted = countedColumns(visible, stage, row, rect.columns);
      for (Position column = counted.begin; column < counted.end; ++column) {
        if (!skipped.empty() && skipped.contains(column)) continue;
        const float cell = values.at(row - band.begin, column - rect.columns.begin);
        line[(column - rect.columns.begin) / block].add(static_cast<double>(cell), reduction);
      }
    }
  });
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  MapValues result{rows, columns, {}};
  result.values.reserve(blocks.size());
  for (const Block& one : blocks) {
    if (one.count == 0) {
      result.values.push_back(stage == Stage::Weights ? 0 : kMinusInfinity);
    } else {
      result.values.push_back(
          static_cast<float>(reduction == Reduction::Mean ? one.value / static_cast<double>(one.count) : one.value));
    }
  }
  return result;
}

ValueRange MapSource::range(Stage stage, const Progress& progress) const {
  ValueRange result{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  const MapMask visible = mask();
  const KeySet skipped = hasKeys(stage) ? hidden() : KeySet();
  const MapRect all = extent(stage);
  inBands(*this, stage, all, progress, [&](const PositionRange& band, const MapValues& values) {
    for (Position row = band.begin; row < band.end; ++row) {
      const PositionRange counted = countedColumns(visible, stage, row, all.columns);
      for (Position column = counted.begin; column < counted.end; ++column) {
        const float cell = values.at(row - band.begin, column);
        if (!std::isfinite(cell) || (!skipped.empty() && skipped.contains(column))) continue;
        result = {std::min(result.low, cell), std::max(result.high, cell)};
      }
    }
  });
  return result.low <= result.high ? result : ValueRange{};
}

}  // namespace core
