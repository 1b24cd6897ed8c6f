#include "core/value_ranks.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace core {

namespace {

constexpr std::int64_t kAllRowsUpTo = std::int64_t{8192} * 8192;

/// The leading 16 bits of a float, turned so that they are in the order of the values.
std::uint32_t stepOf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
  return (bits & 0x8000'0000U ? ~bits : bits | 0x8000'0000U) >> 16U;
}

/// The smallest value of a step.
float lowOf(std::uint32_t step) {
  const bool negative = step < 0x8000U;
  const std::uint32_t turned = step << 16U;
  return std::bit_cast<float>(negative ? ~turned : turned & 0x7FFF'FFFFU);
}

}  // namespace

std::int64_t ValueRanks::rowStep(const MapRect& extent) {
  return std::max<std::int64_t>(1, (extent.cells() + kAllRowsUpTo - 1) / kAllRowsUpTo);
}

ValueRanks ValueRanks::of(const MapSource& map, Stage stage, const Progress& progress) {
  std::vector<std::int64_t> counts(1U << 16U, 0);
  const MapRect all = map.extent(stage);
  const MapMask mask = map.mask();
  const KeySet hidden = hasKeys(stage) ? map.hidden() : KeySet();
  std::int64_t total = 0;
  const auto count = [&](const PositionRange& band, const MapValues& values) {
    for (Position row = band.begin; row < band.end; ++row) {
      const PositionRange counted = countedColumns(mask, stage, row, all.columns);
      for (Position column = counted.begin; column < counted.end; ++column) {
        const float value = values.at(row - band.begin, column);
        if (!std::isfinite(value) || (!hidden.empty() && hidden.contains(column))) continue;
        ++counts[stepOf(value)];
        ++total;
      }
    }
  };
  const std::int64_t step = rowStep(all);
  if (step == 1) {
    inBands(map, stage, all, progress, count);
  } else {
    for (Position row = 0; row < all.rows.end; row += step) {
      progress.report(static_cast<double>(row) / static_cast<double>(all.rows.end), "map");
      count({row, row + 1}, map.rectangle(stage, {{row, row + 1}, all.columns}));
    }
  }
  ValueRanks ranks;
  std::int64_t below = 0;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto share = [total](std::int64_t n) { return static_cast<double>(n) / static_cast<double>(total); };
    ranks.m_steps.push_back({lowOf(i), share(below), share(counts[i])});
    below += counts[i];
  }
  return ranks;
}

double ValueRanks::share(double value) const {
  const auto after = std::partition_point(m_steps.begin(), m_steps.end(),
                                          [&](const Step& step) { return static_cast<double>(step.low) <= value; });
  if (after == m_steps.begin()) return 0;
  const Step& step = *std::prev(after);
  // A value of no step lies above all of the step before it.
  const bool within = stepOf(static_cast<float>(value)) == stepOf(step.low);
  return step.share + step.own * (within ? 0.5 : 1);
}

double ValueRanks::valueAt(double share) const {
  if (m_steps.empty()) return 0;
  const auto after =
      std::partition_point(m_steps.begin(), m_steps.end(), [&](const Step& step) { return step.share <= share; });
  return static_cast<double>(after == m_steps.begin() ? m_steps.front().low : std::prev(after)->low);
}

}  // namespace core
