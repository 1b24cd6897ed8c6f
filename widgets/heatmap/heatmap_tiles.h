// The tiles of the map on the screen: a cache, and one job after the other for what is missing.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "widgets/heatmap/tile_cache.h"
#include "widgets/state/job_runner.h"

namespace widgets {

/// Lives in the GUI thread; only the computing is on the worker.
class HeatmapTiles : public QObject {
  Q_OBJECT
 public:
  HeatmapTiles(JobRunner& jobs, const QString& jobKey, std::size_t budget, QObject* parent = nullptr);
  ~HeatmapTiles() override;

  /// Tiles of the maps before are kept while the budget holds them; null stops the work.
  void setSource(std::shared_ptr<const core::MapSource> source);
  const std::shared_ptr<const core::MapSource>& source() const { return m_source; }

  /// A key with the current map.
  TileKey baseKey(core::Stage stage, core::Reduction reduction) const;
  Tile find(const TileKey& key) { return m_cache.find(key); }

  /// Computes these in this order, as many as the budget holds, those already there apart. Replaces what was wanted
  /// before; a running tile that is no longer wanted is cancelled.
  void want(const std::vector<TileKey>& tiles);
  bool isIdle() const { return m_wanted.empty() && !m_running; }
  std::size_t bytes() const { return m_cache.bytes(); }

 Q_SIGNALS:
  void tileReady(const widgets::TileKey& key);
  void failed(const QString& sentence);

 private:
  void startNext();

  QPointer<JobRunner> m_jobs;  // a window may destroy it before its widgets
  QString m_jobKey;
  TileCache m_cache;
  std::shared_ptr<const core::MapSource> m_source;
  std::map<std::string, std::uint32_t> m_numbers;  // of the maps' identities
  std::uint32_t m_numbersGiven = 0;
  std::uint32_t m_map = 0;
  std::deque<TileKey> m_wanted;
  std::optional<TileKey> m_running;
};

}  // namespace widgets
