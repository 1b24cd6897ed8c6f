#include "widgets/heatmap/head_thumbnails.h"

#include <algorithm>

namespace widgets {

namespace {

constexpr std::int64_t kCellsAJob = std::int64_t{1} << 24;  // all of a head of 4096 tokens; some hundredths of a second
QString jobKey() { return QStringLiteral("heads.thumbnails"); }

/// What the worker makes at a time: some rows of blocks of a head.
struct Strip {
  core::MapValues values;
  std::optional<core::BrokenRows> broken;  // with the first
};

}  // namespace

core::HeadId HeadGridModel::headAt(std::size_t index) const {
  const int i = static_cast<int>(index);
  return {core::Layer(i / heads), core::Head(i % heads)};
}

std::size_t HeadGridModel::indexOf(core::HeadId head) const {
  return static_cast<std::size_t>(head.layer.value) * static_cast<std::size_t>(heads) +
         static_cast<std::size_t>(head.head.value);
}

std::vector<core::HeadId> HeadGridModel::allHeads() const {
  std::vector<core::HeadId> all;
  for (std::size_t index = 0; index < count(); ++index) all.push_back(headAt(index));
  return all;
}

std::vector<core::HeadId> HeadGridModel::headsOf(core::Layer layer) const {
  std::vector<core::HeadId> all;
  for (int h = 0; h < heads; ++h) all.push_back({layer, core::Head(h)});
  return all;
}

HeadThumbnails::HeadThumbnails(JobRunner& jobs, QObject* parent) : QObject(parent), m_jobs(&jobs) {}

HeadThumbnails::~HeadThumbnails() {
  if (m_jobs) m_jobs->cancel(jobKey());
}

void HeadThumbnails::setModel(HeadGridModel model) {
  if (m_jobs) m_jobs->cancel(jobKey());
  m_model = std::move(model);
  m_thumbnails.assign(m_model.count(), {});
  m_isDone.assign(m_model.count(), 0);
  m_done = 0;
  m_inSight.clear();
  beginNext();
}

std::size_t HeadThumbnails::next() const {
  for (const core::HeadId head : m_inSight)
    if (!m_isDone[m_model.indexOf(head)]) return m_model.indexOf(head);
  return static_cast<std::size_t>(std::find(m_isDone.begin(), m_isDone.end(), 0) - m_isDone.begin());
}

void HeadThumbnails::beginNext() {
  if (isComplete() || !m_jobs || !m_model.source) return;
  m_current = next();
  m_source = m_model.source(m_model.headAt(m_current));
  const std::int64_t rows = m_source->extent(core::Stage::Weights).rows.size();
  m_part = {};
  m_part.block = std::max<std::int64_t>(1, (rows + HeadThumbnail::kMostBlocks - 1) / HeadThumbnail::kMostBlocks);
  m_nextRow = 0;
  goOn();
}

void HeadThumbnails::goOn() {
  const core::MapRect extent = m_source->extent(core::Stage::Weights);
  const std::int64_t blocks = kCellsAJob / std::max<std::int64_t>(1, extent.columns.size() * m_part.block);
  const core::PositionRange rows{
      m_nextRow, std::min(m_nextRow + m_part.block * std::max<std::int64_t>(1, blocks), extent.rows.end)};
  m_jobs->submit<Strip>(
      jobKey(), JobPriority::Background,
      [source = m_source, rows, columns = extent.columns, block = m_part.block](const core::Progress& progress) {
        Strip strip;
        strip.values = source->overview(core::Stage::Weights, {rows, columns}, block, core::Reduction::Max, progress);
        if (rows.begin == 0) strip.broken = source->brokenRows();
        return strip;
      },
      [this, rows, end = extent.rows.end](Strip strip) {
        if (strip.broken) m_part.broken = *strip.broken;
        if (!m_part.values) {
          m_part.values = std::move(strip.values);
        } else {
          std::vector<float>& values = m_part.values->values;
          values.insert(values.end(), strip.values.values.begin(), strip.values.values.end());
          m_part.values->rows += strip.values.rows;
        }
        m_nextRow = rows.end;
        if (m_nextRow < end) return goOn();
        m_thumbnails[m_current] = std::move(m_part);
        finish();
      },
      // The map itself says what went wrong when this head is looked at; the thumbnail stays a waiting one.
      [this](const core::Error& error) {
        if (error.kind() != core::ErrorKind::Cancelled) finish();
      });
}

void HeadThumbnails::finish() {
  const core::HeadId head = m_model.headAt(m_current);
  m_isDone[m_current] = 1;
  ++m_done;
  m_source.reset();
  beginNext();  // first: who hears a signal may set another model
  const bool isLast = isComplete();
  Q_EMIT ready(head);
  if (isLast) Q_EMIT completed();
}

}  // namespace widgets
