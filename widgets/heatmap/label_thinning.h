// Which labels of an axis have room, and where.
#pragma once

#include <optional>
#include <vector>

#include "core/key_set.h"
#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

struct AxisLabel {
  std::int64_t cell = 0;
  double centre = 0;  ///< device pixels; at the cell's centre, or as near to it as keeps the label in the viewport
};

/// Labels that are drawn, ascending; their centres are at least `spacing` device pixels apart. The highlighted cell,
/// then the last cell of the axis, then preferred ones come before the others, which are multiples of 1, 2, 5, 10 and
/// so on.
std::vector<AxisLabel> thinnedLabels(const AxisMapping& axis, double spacing, std::optional<std::int64_t> highlighted,
                                     const core::KeySet& preferred = {});

}  // namespace widgets
