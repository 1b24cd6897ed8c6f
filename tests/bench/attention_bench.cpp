// Attention alone on random q, k, v: our manual path beside nanoGPT's lines in eager LibTorch, and the flash path under
// a window beside full causal attention.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/attention/kernels.h"

namespace {

using core::attention::AttentionInput;

constexpr std::int64_t kHeads = 12, kHeadSize = 64;
constexpr std::int64_t kManualTokens = 1024, kFlashTokens = 8192;
constexpr core::Window kFull, kWindow{512};  // query i sees the keys j <= i, or those with i - j <= 512 too

AttentionInput randomInput(std::int64_t tokens, core::Window window) {
  torch::manual_seed(1);
  const auto vectors = [&] { return torch::randn({1, kHeads, tokens, kHeadSize}); };
  const torch::Tensor q = vectors(), k = vectors(), v = vectors();
  return {.q = q, .k = k, .v = v, .mask = core::AttentionMask(tokens, window)};
}

/// 1 where a query sees a key, of the last queries. Shape: (queries, tokens), float32.
torch::Tensor storedMask(std::int64_t queries, std::int64_t tokens, core::Window window) {
  const auto distance = torch::arange(tokens - queries, tokens).unsqueeze(1) - torch::arange(tokens).unsqueeze(0);
  return torch::logical_and(distance >= 0, distance <= window.left).to(torch::kFloat);
}

/// Source: nanoGPT model.py, CausalSelfAttention without its fused kernel.
torch::Tensor nanoGptLines(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                           const torch::Tensor& mask) {
  auto att = q.matmul(k.transpose(-2, -1)) * (1.0 / std::sqrt(static_cast<double>(k.size(-1))));
  att = att.masked_fill(mask == 0, -std::numeric_limits<float>::infinity());
  att = torch::softmax(att, -1);
  return att.matmul(v);
}

void nanoGpt(benchmark::State& state, std::int64_t tokens) {
  const torch::InferenceMode inference;
  const AttentionInput in = randomInput(tokens, kFull);
  const auto mask = storedMask(tokens, tokens, kFull).view({1, 1, tokens, tokens});
  for (auto _ : state) benchmark::DoNotOptimize(nanoGptLines(in.q, in.k, in.v, mask));
}

void ours(benchmark::State& state, core::Kernel kernel, std::int64_t tokens, core::Window window) {
  const torch::InferenceMode inference;
  const AttentionInput in = randomInput(tokens, window);
  const auto last = [](const torch::Tensor& perQuery) { return perQuery.slice(2, -64); };
  const auto expected = nanoGptLines(last(in.q), in.k, in.v, storedMask(64, tokens, window));
  const auto difference = (last(core::attention::runKernel(kernel, in).output) - expected).abs().max().item<double>();
  if (!(difference < 1e-5)) return state.SkipWithError("its output is not that of nanoGPT's lines");
  for (auto _ : state) benchmark::DoNotOptimize(core::attention::runKernel(kernel, in));
}

}  // namespace

// The times of the pool's threads count, so the clock on the wall decides.
BENCHMARK_CAPTURE(ours, manual, core::Kernel::Manual, kManualTokens, kFull)
    ->Name("manual")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(nanoGpt, lines, kManualTokens)->Name("nanogpt")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(ours, window, core::Kernel::Flash, kFlashTokens, kWindow)
    ->Name("window")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(ours, full, core::Kernel::Flash, kFlashTokens, kFull)
    ->Name("full")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
