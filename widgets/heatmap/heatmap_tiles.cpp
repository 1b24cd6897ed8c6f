#include "widgets/heatmap/heatmap_tiles.h"

#include <algorithm>

#include "widgets/heatmap/tile_values.h"

namespace widgets {

HeatmapTiles::HeatmapTiles(JobRunner& jobs, const QString& jobKey, std::size_t budget, QObject* parent)
    : QObject(parent), m_jobs(&jobs), m_jobKey(jobKey), m_cache(budget) {}

HeatmapTiles::~HeatmapTiles() {
  if (m_jobs) m_jobs->cancel(m_jobKey);
}

void HeatmapTiles::setSource(std::shared_ptr<const core::MapSource> source) {
  m_source = std::move(source);
  if (m_source) {
    const auto [number, isNew] = m_numbers.emplace(m_source->identity(), m_numbersGiven + 1);
    if (isNew) ++m_numbersGiven;
    m_map = number->second;
  }
  want({});
}

TileKey HeatmapTiles::baseKey(core::Stage stage, core::Reduction reduction) const {
  TileKey key;
  key.map = m_map;
  key.stage = stage;
  key.reduction = reduction;
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
  m_jobs->submit<TileData>(
      m_jobKey, JobPriority::View,
      [source = m_source, key](const core::Progress& progress) { return computeTile(*source, key, progress); },
      [this, key, finished](TileData values) {
        finished([&] {
          m_cache.insert(key, std::make_shared<const TileData>(std::move(values)));
          Q_EMIT tileReady(key);
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
