#include "core/attention/manual_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace core::attention {

at::Tensor scaledScores(const at::Tensor& q, const at::Tensor& k) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  return at::matmul(q, k.transpose(-2, -1)).mul_(scale);
}

at::Tensor hiddenCells(const AttentionMask& mask, PositionRange rows, PositionRange columns) {
  std::vector<std::int64_t> begins;
  std::vector<std::int64_t> ends;
  for (Position i = rows.begin; i < rows.end; ++i) {
    const PositionRange keys = mask.visibleKeys(i);
    begins.push_back(keys.begin);
    ends.push_back(keys.end);
  }
  const at::Tensor begin = at::tensor(begins, at::kLong).unsqueeze(1);                    // (R, 1)
  const at::Tensor end = at::tensor(ends, at::kLong).unsqueeze(1);                        // (R, 1)
  const at::Tensor key = at::arange(columns.begin, columns.end, at::kLong).unsqueeze(0);  // (1, S)
  return key.lt(begin).logical_or_(key.ge(end));                                          // (R, S)
}

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
  stages.scores = perHead(scaledScores(grouped(q.slice(1, rows.begin, rows.end)), keys));
  stages.masked = stages.scores.masked_fill(hiddenCells(mask, rows, columns), -std::numeric_limits<float>::infinity());
  stages.weights = at::softmax(stages.masked, -1);
  // The largest weight of a row is exp(m - lse), m the row's largest score: lse without a second pass of exponentials.
  stages.lse = stages.masked.amax(-1) - stages.weights.amax(-1).log();
  stages.output = perHead(at::matmul(grouped(stages.weights), values));
  return stages;
}

void BlockReport::report(double fractionOfLayer) const {
  const auto layers = static_cast<double>(m_layers);
  m_progress.report((static_cast<double>(m_layer) + fractionOfLayer) / layers,
                    "layer " + std::to_string(m_layer + 1) + " of " + std::to_string(m_layers));
}

ManualResult manualAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask,
                             const BlockReport& report) {
  const std::int64_t H = q.size(0);
  const std::int64_t T = q.size(1);
  const std::int64_t bytesPerRow = H * T * static_cast<std::int64_t>(sizeof(float));
  const bool whole = bytesPerRow * T <= kWholeLayerBytes;
  const std::int64_t block = whole ? T : std::clamp<std::int64_t>(kBlockBytes / bytesPerRow, 1, T);

  std::vector<at::Tensor> outputs;
  std::vector<at::Tensor> lses;
  for (Position begin = 0; begin < T; begin += block) {
    report.report(static_cast<double>(begin) / static_cast<double>(T));
    const PositionRange rows{begin, std::min(begin + block, T)};
    const ManualStages stages = manualStages(q, k, v, mask, rows, mask.visibleKeys(rows));
    outputs.push_back(stages.output);
    lses.push_back(stages.lse);
  }
  const std::string path =
      whole ? "manual path, (H, T, T) whole per layer" : "manual path, blocks of " + std::to_string(block) + " rows";
  return {at::cat(outputs, 1), at::cat(lses, 1), path};
}

}  // namespace core::attention
