// One kernel on given inputs as a row of the report.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/timed_inputs.h"
#include "core/speed_measure.h"

namespace core::attention {

/// What a row says of its inputs.
SpeedRow attentionRow(Kernel kernel, Device device, const AttentionShape& shape, std::vector<Window> windows);

/// Fills the row: cold run and samples, then one run more for memory, masks and outputs. `manual` holds the manual
/// row's outputs: they are put there when the row is that one, else the row's are compared with them, where there are
/// any. What goes wrong becomes the row's refusal. Errors: Cancelled.
void timeKernel(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, std::vector<at::Tensor>& manual,
                const Progress& progress);

}  // namespace core::attention
