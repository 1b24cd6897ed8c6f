// What each kernel takes, as a table: for the refusals, which are known before a run.
#pragma once

#include <optional>
#include <string>

#include "core/attention_kernel.h"
#include "core/cuda/gpu.h"

namespace core::attention {

/// core::refusal for a GPU of that capability that works; on the CPU it counts for nothing.
std::optional<std::string> shapeRefusal(Kernel kernel, Device device, const AttentionShape& shape,
                                        cuda::ComputeCapability capability);

}  // namespace core::attention
