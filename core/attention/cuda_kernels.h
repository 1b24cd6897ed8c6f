// LibTorch's fused kernels for CUDA, each called directly: what was asked for is what ran, or an error.
#pragma once

#include "core/attention/kernels.h"

namespace core::attention {

/// FlashAttention; fp16 and bf16. Windows are arguments and grouped heads are read in place: nothing is stored.
AttentionOutput cudaFlash(const AttentionInput& input);

/// cuDNN's fused attention; fp16 and bf16. A window needs a stored mask.
AttentionOutput cudaCudnn(const AttentionInput& input);

/// The memory-efficient kernel (CUTLASS), in fp32 too. A window needs a stored mask.
AttentionOutput cudaMemoryEfficient(const AttentionInput& input);

}  // namespace core::attention
