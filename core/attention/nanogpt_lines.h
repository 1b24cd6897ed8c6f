// The manual path whole, as nanoGPT writes it: every stage of all heads at once. For comparison, and for devices whose
// kernels want large work.
#pragma once

#include <ATen/ATen.h>

#include "core/attention/kernels.h"

namespace core::attention {

/// Every stage for R queries over S keys, in the type of q.
struct ManualStages {
  at::Tensor scores;   ///< (H, R, S), q k^T / sqrt(D)
  at::Tensor masked;   ///< (H, R, S), -infinity where the mask hides the key
  at::Tensor weights;  ///< (H, R, S), softmax of masked; exactly 0 where hidden
  at::Tensor output;   ///< (H, R, D), weights . v
  at::Tensor lse;      ///< (H, R), natural logarithm
};

/// Queries at the positions `rows` over the keys `columns`, which hold all that these queries see.
/// Shape: q (H, R, D); k, v (Hkv, T, D), query head h reads key/value head h / (H / Hkv).
ManualStages manualStages(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask,
                          PositionRange rows, PositionRange columns);

/// What nanoGPT keeps as its buffer `bias`: (1, 1, R, T) float32, 1 where visible and 0 elsewhere. Made outside of what
/// is timed.
at::Tensor nanoGptBuffer(const AttentionInput& input);

/// nanoGPT's lines: att = q @ k^T * scale, masked_fill(bias == 0), softmax, att @ v, one new (B, H, T, T) each. Grouped
/// heads are repeated as nanochat's eager fallback does. No lse. Source: nanoGPT model.py, CausalSelfAttention.
AttentionOutput nanoGptLines(const AttentionInput& input, const at::Tensor& bias);
AttentionOutput nanoGptLines(const AttentionInput& input);

}  // namespace core::attention
