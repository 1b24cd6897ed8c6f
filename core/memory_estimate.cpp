#include "core/memory_estimate.h"

#include <algorithm>
#include <string>

#include "core/attention/manual_attention.h"
#include "core/error.h"
#include "core/number_text.h"

namespace core {

namespace {

constexpr std::int64_t kFloat = sizeof(float);
constexpr std::int64_t kSmallThings = std::int64_t{16} << 10;  // token ids, RoPE's angles of few tokens, alignment

/// Floats for each token, while a layer is computed. Source: Model::forward.
std::int64_t workingFloats(const ModelConfig& config) {
  const std::int64_t C = config.embedding;
  const std::int64_t qkv = std::int64_t{config.heads + 2 * config.kvHeads} * config.headSize;
  const std::int64_t output = std::int64_t{config.heads} * config.headSize;
  // x, its norm and the layer's result; nanochat goes back to the first and the middle layer.
  const std::int64_t around = (config.nanochat.lambdas || config.nanochat.smear ? 5 : 3) * C;
  // Projections packed and by heads; RoPE makes halves, products and their sums; y by heads and side by side.
  const bool turned = config.positions == Positions::Rotary || config.qkNorm != QkNorm::None;
  const std::int64_t attention = 2 * qkv + (turned ? 3 : 1) * output;
  const std::int64_t mlp = (config.mlp == Mlp::SwiGlu ? 2 : 1) * std::int64_t{config.inner} + C;
  return around + std::max(attention, mlp);
}

}  // namespace

MemoryEstimate estimateRun(const ModelConfig& config, std::int64_t tokens) {
  const std::int64_t H = config.heads, Hkv = config.kvHeads, D = config.headSize;
  const std::int64_t perLayer = H * D + 2 * Hkv * D + H;  // q, k and v, lse
  return {.kept = tokens * kFloat * (config.layers * perLayer + config.embedding),
          .working = tokens * kFloat * workingFloats(config) + attention::manualWorkspaceBytes(tokens) + kSmallThings};
}

void requireMemory(const ModelConfig& config, std::int64_t tokens, std::int64_t budget) {
  const std::int64_t needed = estimateRun(config, tokens).total();
  if (needed <= budget) return;
  std::int64_t longest = 0, tooLong = tokens;  // what is needed grows with the tokens
  while (tooLong - longest > 1) {
    const std::int64_t middle = longest + (tooLong - longest) / 2;
    (estimateRun(config, middle).total() <= budget ? longest : tooLong) = middle;
  }
  const std::string offer = longest > 0
                                ? "Use at most " + std::to_string(longest) + " tokens, or make more memory available."
                                : "Make more memory available.";
  throw Error(ErrorKind::OutOfMemory, "A run of " + std::to_string(tokens) + " tokens needs " + bytesText(needed) +
                                          " of memory, and " + bytesText(budget) + " may be used. " + offer);
}

}  // namespace core
