// For the tests with the label gpu: they run where a GPU is usable and are skipped with the reason elsewhere.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/attention/kernels.h"
#include "core/device.h"

#define HEADSCOPE_GPU() \
  if (const auto reason = core::whyNoCuda()) GTEST_SKIP() << *reason

namespace core::gpu_test {

struct Case {
  std::int64_t B, H, Hkv, R, T, D;
  std::int64_t left;  ///< of the window; kEvery: none
  MaskKind kind = MaskKind::Causal;

  bool visible(std::int64_t i, std::int64_t j) const {
    if (kind == MaskKind::Causal && j > i) return false;
    return left == kEvery || std::abs(i - j) <= left;
  }
  static constexpr std::int64_t kEvery = Window::kNoLimit;
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << "B " << c.B << ", H " << c.H << " on " << c.Hkv << ", " << c.R << " of " << c.T << " tokens, D " << c.D
       << ", left " << (c.left == Case::kEvery ? -1 : c.left)
       << (c.kind == MaskKind::Causal ? ", causal" : ", bidirectional");
}

/// On the GPU; the same numbers for each call.
inline attention::AttentionInput randomInput(const Case& c, at::ScalarType type) {
  at::manual_seed(11);
  const auto random = [&](std::int64_t heads, std::int64_t tokens) {
    return at::randn({c.B, heads, tokens, c.D}).to(at::kCUDA, type);
  };
  const at::Tensor q = random(c.H, c.R), k = random(c.Hkv, c.T), v = random(c.Hkv, c.T);
  return {q, k, v, AttentionMask(c.T, Window{c.left}, c.kind)};
}

struct Plain {
  at::Tensor output, lse;
};

/// The formula in float64 on the CPU, its mask written cell by cell.
inline Plain plain(const Case& c, const attention::AttentionInput& input) {
  const auto wide = [&](const at::Tensor& heads) {
    return heads.to(at::kCPU, at::kDouble).repeat_interleave(c.H / heads.size(1), 1);
  };
  at::Tensor hidden = at::zeros({c.R, c.T}, at::kBool);
  auto cells = hidden.accessor<bool, 2>();
  for (std::int64_t r = 0; r < c.R; ++r)
    for (std::int64_t j = 0; j < c.T; ++j) cells[r][j] = !c.visible(c.T - c.R + r, j);
  const at::Tensor scores = (at::matmul(wide(input.q), wide(input.k).transpose(-2, -1)) / std::sqrt(double(c.D)))
                                .masked_fill(hidden, -std::numeric_limits<double>::infinity());  // (B, H, R, T)
  return {at::matmul(at::softmax(scores, -1), wide(input.v)), at::logsumexp(scores, -1)};
}

inline double worst(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kCPU, at::kDouble) - b.to(at::kCPU, at::kDouble)).abs().max().item<double>();
}

}  // namespace core::gpu_test
