#include "core/attention/head_tensors.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace core::attention {

namespace {

/// The keys of the tile that query i sees, counted from the tile's first column.
PositionRange seenInside(const AttentionMask& mask, Position i, PositionRange columns) {
  const PositionRange keys = mask.visibleKeys(i);
  const Position begin = std::clamp(keys.begin, columns.begin, columns.end);
  return {begin - columns.begin, std::clamp(keys.end, begin, columns.end) - columns.begin};
}

}  // namespace

HeadTensors headTensors(const Capture::Data& data, HeadId head) {
  const model::LayerRecord& layer = data.layer(head.layer);
  const int kvHead = kvHeadOf(data.info.config, head.head).value;
  return {layer.q[head.head.value],
          layer.k[kvHead],
          layer.v[kvHead],
          layer.lse[head.head.value],
          1 / std::sqrt(static_cast<double>(layer.q.size(2))),
          data.mask(head.layer)};
}

void productsInto(at::Tensor out, const HeadTensors& head, const MapRect& tile) {
  at::mm_out(out, part(head.q, tile.rows), part(head.k, tile.columns).t());
}

void turnedProductsInto(at::Tensor out, const HeadTensors& head, const MapRect& tile) {
  at::mm_out(out, part(head.k, tile.columns), part(head.q, tile.rows).t());
}

void fillHidden(const at::Tensor& cells, const AttentionMask& mask, const MapRect& tile, float value) {
  float* row = cells.mutable_data_ptr<float>();
  for (Position i = tile.rows.begin; i < tile.rows.end; ++i, row += cells.stride(0)) {
    const PositionRange seen = seenInside(mask, i, tile.columns);
    std::fill(row, row + seen.begin, value);
    std::fill(row + seen.end, row + tile.columns.size(), value);
  }
}

void fillHiddenTurned(const at::Tensor& cells, const AttentionMask& mask, const MapRect& tile, float value) {
  const auto R = static_cast<std::size_t>(tile.rows.size());
  std::vector<std::int32_t> begins(R);
  std::vector<std::int32_t> ends(R);
  for (std::size_t i = 0; i < R; ++i) {
    const PositionRange seen = seenInside(mask, tile.rows.begin + static_cast<Position>(i), tile.columns);
    begins[i] = static_cast<std::int32_t>(seen.begin);
    ends[i] = static_cast<std::int32_t>(seen.end);
  }
  float* row = cells.mutable_data_ptr<float>();
  for (std::int32_t j = 0; j < tile.columns.size(); ++j, row += R) {
    for (std::size_t i = 0; i < R; ++i) row[i] = j < begins[i] || j >= ends[i] ? value : row[i];
  }
}

void fillKeysTurned(const at::Tensor& cells, const KeySet& keys, const MapRect& tile, float value) {
  const std::vector<Position>& all = keys.keys();
  for (auto key = std::lower_bound(all.begin(), all.end(), tile.columns.begin);
       key != all.end() && *key < tile.columns.end; ++key)
    cells.select(0, *key - tile.columns.begin).fill_(value);
}

}  // namespace core::attention
