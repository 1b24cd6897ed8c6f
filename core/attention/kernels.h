// Every way to compute attention behind one call.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/attention_kernel.h"
#include "core/progress.h"

namespace core::attention {

/// Shape: q (B, H, R, D); k, v (B, Hkv, T, D), query head h reads key/value head h / (H / Hkv). The queries are the
/// last R of the T positions that the mask covers; R < T only with a KV cache, and a causal mask.
struct AttentionInput {
  at::Tensor q;
  at::Tensor k;
  at::Tensor v;
  AttentionMask mask;
  Progress progress = {};  ///< asked whether to go on by the kernels that can stop: Manual, and Flash on the CPU
};

struct AttentionOutput {
  at::Tensor output;           ///< (B, H, R, D), of q's type
  at::Tensor lse;              ///< (B, H, R) float32, natural logarithm; undefined where the kernel gives none
  std::int64_t maskBytes = 0;  ///< of the masks that had to be stored for the kernel
};

/// Runs that kernel and no other; on the device of q.
/// Errors: Unsupported, with the reason, when it can't take the input (core::refusal says so beforehand).
AttentionOutput runKernel(Kernel kernel, const AttentionInput& input);

/// LibTorch's flash kernel for the CPU. A window goes as blocks of queries that all have the same small mask. Large
/// work goes in several calls of some heads each, because a call can't be stopped.
AttentionOutput cpuFlash(const AttentionInput& input);

}  // namespace core::attention
