// The parts of a transformer layer around attention. x is (T, C) and float32 throughout.
#pragma once

#include <ATen/ATen.h>

#include "core/attention_mask.h"
#include "core/model_info.h"

namespace core::model {

/// weight (out, in), bias (out) or undefined; of a norm both are (C), or undefined where it has none.
struct Affine {
  at::Tensor weight;
  at::Tensor bias;
  bool isThere() const { return weight.defined(); }
};

at::Tensor linear(const at::Tensor& x, const Affine& affine);

/// LayerNorm or RMSNorm over the last dimension.
at::Tensor normalize(const at::Tensor& x, const Affine& norm, const ModelConfig& config);

/// RoPE's angles of some positions. Shape: (T, D / 2) each.
struct Rotary {
  at::Tensor cos;
  at::Tensor sin;
};

/// In float32 step by step, as upstream: at position 32,767 a more exact angle would be another one.
/// Source: transformers modeling_rope_utils.py, nanochat gpt.py.
Rotary rotary(const ModelConfig& config, double base, PositionRange positions, at::Device device);

/// Rotates halves of the last dimension. Shape: x (H, T, D) -> (H, T, D).
at::Tensor rotate(const at::Tensor& x, const Rotary& rotary);

/// gate is only there for SwiGLU.
at::Tensor mlp(const at::Tensor& x, const Affine& gate, const Affine& up, const Affine& down, Mlp kind, Gelu gelu);

}  // namespace core::model
