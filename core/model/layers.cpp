#include "core/model/layers.h"

#include <cmath>

namespace core::model {

namespace {

constexpr double kTwoPi = 6.283185307179586;

/// Low frequencies are divided by the factor, high ones stay, those between are blended.
at::Tensor llama3Frequencies(const at::Tensor& frequencies, const RopeScaling& scaling) {
  const auto original = static_cast<double>(scaling.originalContext);
  const at::Tensor wavelengths = kTwoPi / frequencies;
  const at::Tensor isLow = wavelengths > original / scaling.lowFrequency;
  const at::Tensor isHigh = wavelengths < original / scaling.highFrequency;
  const at::Tensor share =
      (original / wavelengths - scaling.lowFrequency) / (scaling.highFrequency - scaling.lowFrequency);
  const at::Tensor divided = frequencies / scaling.factor;
  const at::Tensor blended = (1 - share) * divided + share * frequencies;
  return at::where(isLow, divided, at::where(isHigh, frequencies, blended));
}

/// Shape: (D / 2), radians a position.
at::Tensor frequencies(const ModelConfig& config, double base) {
  const at::Tensor exponents = at::arange(0, config.headSize, 2, at::kFloat) / config.headSize;
  const at::Tensor plain = 1.0 / at::pow(at::Scalar(base), exponents);
  switch (config.ropeScaling.rule) {
    case RopeScaling::Rule::None: break;
    case RopeScaling::Rule::Linear: return plain / config.ropeScaling.factor;
    case RopeScaling::Rule::Llama3: return llama3Frequencies(plain, config.ropeScaling);
    case RopeScaling::Rule::Factors: return plain / at::tensor(at::ArrayRef<float>(config.ropeScaling.factors));
  }
  return plain;
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const Affine& affine) { return at::linear(x, affine.weight, affine.bias); }

at::Tensor normalize(const at::Tensor& x, const Affine& norm, const ModelConfig& config) {
  const std::int64_t size = x.size(-1);
  if (config.norm == Norm::LayerNorm) return at::layer_norm(x, {size}, norm.weight, norm.bias, config.normEpsilon);
  return at::rms_norm(x, {size}, norm.isThere() ? std::optional(norm.weight) : std::nullopt, config.normEpsilon);
}

Rotary rotary(const ModelConfig& config, double base, PositionRange positions, at::Device device) {
  const at::Tensor column = at::arange(positions.begin, positions.end, at::kFloat).unsqueeze(1);  // (T, 1)
  // Made on the CPU wherever they are used: upstream's angles to the last bit.
  const at::Tensor angles = (column * frequencies(config, base).unsqueeze(0)).to(device);  // (T, D / 2)
  const at::Tensor sin = angles.sin();
  return {angles.cos(), config.ropeDirection == RopeDirection::Forward ? sin : sin.neg()};
}

at::Tensor rotate(const at::Tensor& x, const Rotary& rotary) {
  const auto halves = x.chunk(2, -1);
  const at::Tensor& a = halves[0];
  const at::Tensor& b = halves[1];
  return at::cat({a * rotary.cos - b * rotary.sin, b * rotary.cos + a * rotary.sin}, -1);
}

at::Tensor mlp(const at::Tensor& x, const Affine& gate, const Affine& up, const Affine& down, Mlp kind, Gelu gelu) {
  at::Tensor inner = linear(x, up);  // (T, inner), the largest tensor of a layer: changed in place
  switch (kind) {
    case Mlp::Gelu: at::gelu_(inner, gelu == Gelu::Erf ? "none" : "tanh"); break;
    case Mlp::SwiGlu: {
      at::Tensor gates = linear(x, gate);
      inner.mul_(at::silu_(gates));
      break;
    }
    case Mlp::ReluSquared: inner.relu_().square_(); break;
  }
  return linear(inner, down);
}

}  // namespace core::model
