// The mask as a tensor, for kernels that can't take it as a rule.
#pragma once

#include <ATen/ATen.h>

#include "core/attention/kernels.h"

namespace core::attention {

/// Whether each query sees every key, or the kernel's own causal mask is right: as many queries as keys, no window.
bool hidesNothing(const AttentionInput& input);
bool isPlainCausal(const AttentionInput& input);

/// Shape: (R, S), true where the query of the row does not see the key of the column. On the CPU.
at::Tensor hiddenCells(const AttentionMask& mask, PositionRange rows, PositionRange columns);

/// Shape: (R, T), the same for all of the input; on q's device.
at::Tensor hiddenMask(const AttentionInput& input);

/// Shape: (R, T) of q's type, 0 where visible and -infinity elsewhere. Rows begin at multiples of 16 bytes at least, as
/// the CUDA kernels read them.
at::Tensor biasMask(const AttentionInput& input);

/// Bytes that a mask keeps from others.
std::int64_t storedBytes(const at::Tensor& mask);

}  // namespace core::attention
