#include "widgets/heatmap/label_thinning.h"

#include <algorithm>
#include <cmath>

namespace widgets {

namespace {

/// The smallest of 1, 2, 5, 10, 20, 50 .. that is at least `cells`.
std::int64_t roundStep(double cells) {
  std::int64_t ten = 1;
  while (true) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (static_cast<double>(factor * ten) >= cells) return factor * ten;
    }
    ten *= 10;
  }
}

}  // namespace

std::vector<AxisLabel> thinnedLabels(const AxisMapping& axis, double spacing, std::optional<std::int64_t> highlighted,
                                     const core::KeySet& preferred) {
  const core::PositionRange visible = axis.visibleCells();
  std::vector<AxisLabel> labels;
  const auto add = [&](std::int64_t cell) {
    if (cell < visible.begin || cell >= visible.end) return;
    const double least = spacing / 2;
    const double centre =
        std::clamp(axis.pixelOf(static_cast<double>(cell) + 0.5), least, std::max(least, axis.pixels - spacing / 2));
    const bool crowded = std::any_of(labels.begin(), labels.end(),
                                     [&](const AxisLabel& other) { return std::abs(centre - other.centre) < spacing; });
    if (!crowded) labels.push_back({cell, centre});
  };
  if (highlighted) add(*highlighted);
  add(axis.cells - 1);
  const std::vector<core::Position>& wanted = preferred.keys();
  for (auto cell = std::lower_bound(wanted.begin(), wanted.end(), visible.begin);
       cell != wanted.end() && *cell < visible.end; ++cell)
    add(*cell);
  const std::int64_t step = roundStep(spacing / axis.scale);
  for (std::int64_t cell = (visible.begin + step - 1) / step * step; cell < visible.end; cell += step) add(cell);
  std::sort(labels.begin(), labels.end(), [](const AxisLabel& a, const AxisLabel& b) { return a.cell < b.cell; });
  return labels;
}

}  // namespace widgets
