// Which maps are shown beside the one of the selected head, and how.
#pragma once

#include <optional>

#include "core/ids.h"
#include "core/map_values.h"

namespace widgets {

/// Heads: the selected head, and those that are pinned beside it. Mean: one map, their mean. Difference: the selected
/// head less what Minuend and Subtrahend say.
enum class Shown { Heads, Mean, Difference };

/// What is shown as one unit of rows and columns.
enum class Unit { Tokens, Words };

/// The two sides of a difference; the first is of the run and stage that are shown.
struct Difference {
  bool firstIsMean = false;  ///< the mean of the heads of the selected layer; else the selected head
  bool ofKeptRun = false;    ///< the second side is of the run that was kept
  core::Layer layer;
  std::optional<core::Head> head = core::Head(0);  ///< nullopt: the mean of the layer's heads
  std::optional<core::Stage> stage;                ///< nullopt: the one that is shown
  friend bool operator==(const Difference&, const Difference&) = default;
};

}  // namespace widgets
