// One layer's attention on the path that a run chose.
#pragma once

#include <ATen/ATen.h>

#include <string>

#include "core/attention/manual_attention.h"
#include "core/attention_kernel.h"

namespace core::attention {

struct LayerAttention {
  at::Tensor output;           ///< (H, R, D) float32
  at::Tensor lse;              ///< (H, R)
  std::string path;            ///< core::RunFacts::path
  std::int64_t maskBytes = 0;  ///< of masks that the kernel needed stored
};

/// Shape: q (H, R, D), the last R of the T positions; k, v (Hkv, T, D); float32. On the flash path the kernel gets them
/// as `type`; the manual path computes in float32 whatever their type, and rounds its output to it.
/// Errors: Cancelled; Unsupported when there is no flash kernel for the type on this device.
LayerAttention attend(AttentionPath path, DType type, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                      const AttentionMask& mask, const Progress& progress);

at::ScalarType scalarType(DType type);

/// The values that `type` can hold, still as float32.
at::Tensor rounded(DType type, const at::Tensor& values);

}  // namespace core::attention
