#include "core/attention/nanogpt_lines.h"

#include <cmath>
#include <limits>

#include "core/attention/stored_mask.h"

namespace core::attention {

namespace {

/// Shape: q (..., R, D), k (..., S, D) -> (..., R, S).
at::Tensor scaledScores(const at::Tensor& q, const at::Tensor& k) {
  return at::matmul(q, k.transpose(-2, -1)) * (1.0 / std::sqrt(static_cast<double>(k.size(-1))));
}

}  // namespace

ManualStages manualStages(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask,
                          PositionRange rows, PositionRange columns) {
  const std::int64_t H = q.size(0);
  const std::int64_t Hkv = k.size(0);
  // The queries of a group stand under each other, so that no key or value head is copied for them.
  const auto grouped = [&](const at::Tensor& perHead) { return perHead.reshape({Hkv, -1, perHead.size(-1)}); };
  const auto perHead = [&](const at::Tensor& rowsOfGroups) {
    return rowsOfGroups.view({H, rows.size(), rowsOfGroups.size(-1)});
  };

  ManualStages stages;
  const at::Tensor keys = k.slice(1, columns.begin, columns.end);    // (Hkv, S, D)
  const at::Tensor values = v.slice(1, columns.begin, columns.end);  // (Hkv, S, D)
  stages.scores = perHead(scaledScores(grouped(q), keys));
  stages.masked = stages.scores.masked_fill(hiddenCells(mask, rows, columns).to(q.device()),
                                            -std::numeric_limits<float>::infinity());
  stages.weights = at::softmax(stages.masked, -1);
  stages.lse = at::logsumexp(stages.masked, -1);
  stages.output = perHead(at::matmul(grouped(stages.weights), values));
  return stages;
}

at::Tensor nanoGptBuffer(const AttentionInput& input) {
  return hiddenMask(input).logical_not_().to(at::kFloat).view({1, 1, -1, input.mask.tokens()});
}

AttentionOutput nanoGptLines(const AttentionInput& input, const at::Tensor& bias) {
  const std::int64_t group = input.q.size(1) / input.k.size(1);
  const at::Tensor k = group == 1 ? input.k : input.k.repeat_interleave(group, 1);  // (B, H, T, D)
  const at::Tensor v = group == 1 ? input.v : input.v.repeat_interleave(group, 1);
  at::Tensor att = scaledScores(input.q, k);
  att = att.masked_fill(bias == 0, -std::numeric_limits<float>::infinity());
  att = at::softmax(att, -1);  // (B, H, R, T)
  return {.output = att.matmul(v), .lse = {}, .maskBytes = static_cast<std::int64_t>(bias.nbytes())};
}

AttentionOutput nanoGptLines(const AttentionInput& input) { return nanoGptLines(input, nanoGptBuffer(input)); }

}  // namespace core::attention
