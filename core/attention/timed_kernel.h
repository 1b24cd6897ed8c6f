// One kernel on given inputs as a row of the report.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/timed_inputs.h"
#include "core/speed_measure.h"

namespace core::attention {

/// What a row says of its inputs.
SpeedRow attentionRow(Kernel kernel, Device device, const AttentionShape& shape, std::vector<Window> windows);

/// Fills the row: cold run and samples, then one run more for memory, masks and the difference from the manual path's
/// output. What goes wrong becomes the row's refusal. Errors: Cancelled.
void timeKernel(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, const Progress& progress);

}  // namespace core::attention
