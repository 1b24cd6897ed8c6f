#include "widgets/heatmap/heatmap_tiles.h"

#include <algorithm>

#include "widgets/heatmap/tile_values.h"

namespace widgets {

HeatmapTiles::HeatmapTiles(JobRunner& jobs, const QString& jobKey, std::size_t budget, QObject* parent)
    : QObject(parent), m_jobs(&jobs), m_jobKey(jobKey), m_cache(budget) {}

HeatmapTiles::~HeatmapTiles() {
  if (m_jobs) m_jobs->cancel(m_jobKey);
}

void HeatmapTiles::setSource(std::shared_ptr<const MapSource> source) {
  // Both captures are alive here, so equal addresses mean the same one.
  const bool sameCapture = m_source && source && m_source->run() == source->run();
  if (!sameCapture) {
    ++m_capture;
    m_cache.clear();
  }
  m_source = std::move(source);
  want({});
}

TileKey HeatmapTiles::baseKey(core::Stage stage, core::Reduction reduction) const {
  TileKey key;
  key.capture = m_capture;
  key.stage = stage;
  key.reduction = reduction;
  if (m_source) key.head = m_source->head();
  return key;
}

void HeatmapTiles::want(const std::vector<TileKey>& tiles) {
  // More than the cache holds would push out what was just computed, without end.
  const std::size_t capacity = std::max<std::size_t>(2, m_cache.budget() / (kTileSize * kTileSize * sizeof(float)));
  const auto end = tiles.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, tiles.size()));
  m_wanted.clear();
  std::copy_if(tiles.begin(), end, std::back_inserter(m_wanted),
               [this](const TileKey& key) { return !m_cache.contains(key); });
  if (m_running) {
    const auto running = std::find(m_wanted.begin(), m_wanted.end(), *m_running);
    if (running == m_wanted.end()) {
      m_running.reset();
      if (m_jobs) m_jobs->cancel(m_jobKey);
    } else {
      m_wanted.erase(running);
    }
  }
  startNext();
}

void HeatmapTiles::startNext() {
  if (m_running || m_wanted.empty() || !m_source || !m_jobs) return;
  const TileKey key = m_wanted.front();
  m_wanted.pop_front();
  m_running = key;
  const auto finished = [this, key](const std::function<void()>& answer) {
    if (m_running != key) return;  // cancelled while its answer was under way
    m_running.reset();
    answer();
    startNext();
  };
  m_jobs->submit<core::MapValues>(
      m_jobKey, JobPriority::View,
      [source = m_source, key](const core::Progress& progress) { return computeTile(*source, key, progress); },
      [this, key, finished](core::MapValues values) {
        finished([&] {
          m_cache.insert(key, std::make_shared<const core::MapValues>(std::move(values)));
          Q_EMIT tileReady();
        });
      },
      [this, finished](const core::Error& error) {
        if (error.kind() == core::ErrorKind::Cancelled) return;
        finished([&] {
          m_wanted.clear();
          Q_EMIT failed(QString::fromUtf8(error.what()));
        });
      });
}

}  // namespace widgets
