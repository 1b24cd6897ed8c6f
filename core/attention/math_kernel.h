// LibTorch's own composition of matmul and softmax, with T x T whole; on any device.
#pragma once

#include "core/attention/kernels.h"

namespace core::attention {

/// Its mask is stored wherever it hides anything. No lse. Half types are computed in float32.
AttentionOutput mathKernel(const AttentionInput& input);

}  // namespace core::attention
