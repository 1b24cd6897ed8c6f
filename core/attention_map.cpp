#include "core/attention_map.h"

#include <string>

#include "core/attention/attention_tiles.h"
#include "core/attention/capture_data.h"
#include "core/attention/door.h"
#include "core/attention/map_range.h"
#include "core/attention/overview.h"

namespace core {

namespace {

MapValues toValues(const at::Tensor& values) {
  const at::Tensor flat = values.contiguous();
  const float* begin = flat.const_data_ptr<float>();
  return {flat.size(0), flat.size(1), {begin, begin + flat.numel()}};
}

}  // namespace

AttentionMap::AttentionMap(std::shared_ptr<const Capture> capture, HeadId head, KeySet hidden)
    : m_capture(std::move(capture)), m_head(head), m_hidden(std::move(hidden)) {
  requireHead(m_capture->model().config, head);
}

std::string AttentionMap::identity() const {
  return "run " + std::to_string(m_capture->serial()) + " layer " + std::to_string(m_head.layer.value) + " head " +
         std::to_string(m_head.head.value) + (m_hidden.empty() ? "" : " hidden " + m_hidden.text());
}

std::optional<PositionRange> AttentionMap::slice() const {
  const std::int64_t D = m_capture->model().config.headSize;
  return PositionRange{m_head.head.value * D, (m_head.head.value + 1) * D};
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

void AttentionMap::requireStage(Stage stage) const {
  const SavedWeights* saved = m_capture->data().saved.get();
  if (saved == nullptr) return;
  if (!m_capture->hasStage(stage)) saved->refuse(stage);
  if (!m_capture->holds(m_head)) saved->refuse(m_head);
}

MapValues AttentionMap::rectangle(Stage stage, const MapRect& rect, const Progress& progress) const {
  requireStage(stage);
  requireInside(stage, rect);
  return attention::atTheDoor("Drawing the map", [&] {
    if (const SavedWeights* saved = m_capture->data().saved.get()) return saved->rectangle(m_head, rect, progress);
    MapValues result{rect.rows.size(), rect.columns.size(), {}};
    result.values.resize(static_cast<std::size_t>(rect.cells()));
    attention::tileInto(at::from_blob(result.values.data(), {result.rows, result.columns}), m_capture->data(), m_head,
                        stage, rect, progress);
    return result;
  });
}

MapValues AttentionMap::overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                                 const Progress& progress) const {
  requireStage(stage);
  requireInside(stage, rect);
  if (block < 1)
    throw Error(ErrorKind::Mismatch, "A block of " + std::to_string(block) + " cells was asked for; at least 1.");
  if (block == 1 || rect.cells() == 0) return rectangle(stage, rect, progress);
  if (reduction == Reduction::MaxMagnitude || m_capture->isSaved())
    return MapSource::overview(stage, rect, block, reduction, progress);
  return attention::atTheDoor("Drawing the map", [&] {
    return toValues(attention::overview(m_capture->data(), m_head, stage, rect, block, reduction, m_hidden, progress));
  });
}

ValueRange AttentionMap::range(Stage stage, const Progress& progress) const {
  requireStage(stage);
  if (m_capture->isSaved()) return MapSource::range(stage, progress);
  return attention::atTheDoor("Measuring the map", [&] {
    return attention::range(m_capture->data(), m_head, stage, extent(stage), m_hidden, progress);
  });
}

}  // namespace core
