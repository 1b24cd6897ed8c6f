#include "core/attention/attention_tiles.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/attention/capture_data.h"
#include "core/attention/manual_attention.h"

namespace core::attention {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

at::Tensor part(const at::Tensor& rows, PositionRange range) { return rows.slice(0, range.begin, range.end); }

/// (rows, columns), unmasked.
at::Tensor scores(const Capture::Data& data, HeadId head, const MapRect& rect) {
  const model::LayerRecord& layer = data.layer(head.layer);
  const KvHead kvHead = kvHeadOf(data.info.config, head.head);
  return scaledScores(part(layer.q[head.head.value], rect.rows), part(layer.k[kvHead.value], rect.columns));
}

at::Tensor maskedScores(const Capture::Data& data, HeadId head, const MapRect& rect) {
  const AttentionMask mask = data.mask(head.layer);
  return scores(data, head, rect).masked_fill_(hiddenCells(mask, rect.rows, rect.columns), kMinusInfinity);
}

/// (rows, 1)
at::Tensor lseColumn(const Capture::Data& data, HeadId head, PositionRange rows) {
  return part(data.layer(head.layer).lse[head.head.value], rows).unsqueeze(1);
}

at::Tensor weights(const Capture::Data& data, HeadId head, const MapRect& rect) {
  return maskedScores(data, head, rect).sub_(lseColumn(data, head, rect.rows)).exp_();
}

at::Tensor output(const Capture::Data& data, HeadId head, const MapRect& rect) {
  const at::Tensor& v = data.layer(head.layer).v[kvHeadOf(data.info.config, head.head).value];  // (T, D)
  return at::matmul(weights(data, head, {rect.rows, {0, v.size(0)}}), v.slice(1, rect.columns.begin, rect.columns.end));
}

/// Only the heads whose slice of C the columns touch are computed.
at::Tensor reassembled(const Capture::Data& data, HeadId head, const MapRect& rect) {
  const std::int64_t D = data.info.config.headSize;
  if (rect.columns.size() == 0) return at::zeros({rect.rows.size(), 0});
  std::vector<at::Tensor> slices;
  for (std::int64_t h = rect.columns.begin / D; h * D < rect.columns.end; ++h) {
    const PositionRange columns{std::max(rect.columns.begin - h * D, std::int64_t{0}),
                                std::min(rect.columns.end - h * D, D)};
    slices.push_back(output(data, {head.layer, Head(static_cast<int>(h))}, {rect.rows, columns}));
  }
  return at::cat(slices, 1);
}

/// Blocks of `block` along a dimension as a dimension of their own, the last one filled up with `filling`.
at::Tensor blocked(const at::Tensor& values, std::int64_t dimension, std::int64_t block, double filling) {
  const std::int64_t size = values.size(dimension);
  const std::int64_t missing = (block - size % block) % block;
  std::vector<std::int64_t> padding(static_cast<std::size_t>(2 * (values.dim() - dimension)), 0);
  padding.back() = missing;
  return at::constant_pad_nd(values, padding, filling).unflatten(dimension, {(size + missing) / block, block});
}

at::Tensor largest(const at::Tensor& values, std::int64_t block, std::int64_t dimension) {
  return blocked(values, dimension, block, kMinusInfinity).amax(dimension + 1);
}

at::Tensor blockSums(const at::Tensor& values, std::int64_t block) {
  return blocked(blocked(values, 1, block, 0).sum(2), 0, block, 0).sum(1);
}

at::Tensor reducedMax(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block) {
  if (stage != Stage::Weights) return largest(largest(tile(data, head, stage, rect), block, 1), block, 0);
  // exp is monotonic: the largest score of a row's block first, then one exponential a block and row, not a cell.
  const at::Tensor perRow = largest(maskedScores(data, head, rect), block, 1);
  return largest(perRow.sub(lseColumn(data, head, rect.rows)).exp_(), block, 0);
}

at::Tensor reducedMean(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block) {
  const at::Tensor counted = countedCells(data, head, stage, rect);
  const at::Tensor values = tile(data, head, stage, rect).masked_fill(counted.logical_not(), 0);
  const at::Tensor counts = blockSums(counted.to(at::kFloat), block);
  const at::Tensor means = blockSums(values, block) / counts.clamp_min(1);
  return stage == Stage::MaskedScores ? means.masked_fill(counts.eq(0), kMinusInfinity) : means;
}

}  // namespace

at::Tensor tile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect) {
  switch (stage) {
    case Stage::Scores: return scores(data, head, rect);
    case Stage::MaskedScores: return maskedScores(data, head, rect);
    case Stage::Weights: return weights(data, head, rect);
    case Stage::Output: return output(data, head, rect);
    case Stage::Reassembled: return reassembled(data, head, rect);
  }
  return {};
}

at::Tensor countedCells(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect) {
  if (stage == Stage::MaskedScores || stage == Stage::Weights) {
    const AttentionMask mask = data.mask(head.layer);
    return hiddenCells(mask, rect.rows, rect.columns).logical_not_();
  }
  return at::ones({rect.rows.size(), rect.columns.size()}, at::kBool);
}

at::Tensor reducedTile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block,
                       Reduction reduction) {
  return reduction == Reduction::Max ? reducedMax(data, head, stage, rect, block)
                                     : reducedMean(data, head, stage, rect, block);
}

}  // namespace core::attention
