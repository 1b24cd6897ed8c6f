#include "core/attention_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/attention/attention_tiles.h"
#include "core/attention/capture_data.h"
#include "core/attention/door.h"

namespace core {

namespace {

MapValues toValues(const at::Tensor& tile) {
  const at::Tensor flat = tile.contiguous();
  const float* begin = flat.const_data_ptr<float>();
  return {flat.size(0), flat.size(1), {begin, begin + flat.numel()}};
}

/// Calls work(rows) for strips of a rectangle, one under the other, so that no more than about 16 MB of weights are in
/// memory at once. The rows of a strip are a multiple of `block`. An output row is made of a whole row of weights.
template <class Work>
void inStrips(const MapRect& rect, std::int64_t tokens, std::int64_t block, const Progress& progress, Work&& work) {
  constexpr std::int64_t kStripCells = std::int64_t{1} << 22;
  const std::int64_t step = std::max<std::int64_t>(kStripCells / std::max<std::int64_t>(tokens, 1) / block, 1) * block;
  for (Position begin = rect.rows.begin; begin < rect.rows.end; begin += step) {
    progress.report(static_cast<double>(begin - rect.rows.begin) / static_cast<double>(rect.rows.size()), "map");
    work(MapRect{{begin, std::min(begin + step, rect.rows.end)}, rect.columns});
  }
}

}  // namespace

AttentionMap::AttentionMap(std::shared_ptr<const Capture> capture, HeadId head)
    : m_capture(std::move(capture)), m_head(head) {
  requireHead(m_capture->model().config, head);
}

MapRect AttentionMap::extent(Stage stage) const {
  const ModelConfig& config = m_capture->model().config;
  const std::int64_t T = m_capture->size();
  switch (stage) {
    case Stage::Scores:
    case Stage::MaskedScores:
    case Stage::Weights: return {{0, T}, {0, T}};
    case Stage::Output: return {{0, T}, {0, config.headSize}};
    case Stage::Reassembled: return {{0, T}, {0, std::int64_t{config.heads} * config.headSize}};
  }
  return {};
}

void AttentionMap::requireInside(Stage stage, const MapRect& rect) const {
  const MapRect whole = extent(stage);
  const auto inside = [](PositionRange part, PositionRange all) {
    return all.begin <= part.begin && part.begin <= part.end && part.end <= all.end;
  };
  if (inside(rect.rows, whole.rows) && inside(rect.columns, whole.columns)) return;
  throw Error(ErrorKind::Mismatch, "Rows " + std::to_string(rect.rows.begin) + " to " + std::to_string(rect.rows.end) +
                                       " and columns " + std::to_string(rect.columns.begin) + " to " +
                                       std::to_string(rect.columns.end) + " were asked of a map of " +
                                       std::to_string(whole.rows.end) + " x " + std::to_string(whole.columns.end) +
                                       ".");
}

MapValues AttentionMap::rectangle(Stage stage, const MapRect& rect) const {
  requireInside(stage, rect);
  return attention::atTheDoor("Drawing the map",
                              [&] { return toValues(attention::tile(m_capture->data(), m_head, stage, rect)); });
}

MapValues AttentionMap::overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                                 const Progress& progress) const {
  requireInside(stage, rect);
  if (block < 1)
    throw Error(ErrorKind::Mismatch, "A block of " + std::to_string(block) + " cells was asked for; at least 1.");
  if (block == 1 || rect.cells() == 0) return rectangle(stage, rect);
  return attention::atTheDoor("Drawing the map", [&] {
    std::vector<at::Tensor> strips;
    inStrips(rect, m_capture->size(), block, progress, [&](const MapRect& strip) {
      strips.push_back(attention::reducedTile(m_capture->data(), m_head, stage, strip, block, reduction));
    });
    return toValues(at::cat(strips, 0));
  });
}

ValueRange AttentionMap::range(Stage stage, const Progress& progress) const {
  return attention::atTheDoor("Measuring the map", [&] {
    float low = std::numeric_limits<float>::infinity();
    float high = -low;
    inStrips(extent(stage), m_capture->size(), 1, progress, [&](const MapRect& strip) {
      const at::Tensor values = attention::tile(m_capture->data(), m_head, stage, strip);
      const at::Tensor counted = values.masked_select(
          attention::countedCells(m_capture->data(), m_head, stage, strip).logical_and(at::isfinite(values)));
      if (counted.numel() == 0) return;
      low = std::min(low, counted.min().item<float>());
      high = std::max(high, counted.max().item<float>());
    });
    return low <= high ? ValueRange{low, high} : ValueRange{};
  });
}

}  // namespace core
