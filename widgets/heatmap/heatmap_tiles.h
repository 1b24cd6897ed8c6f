// The tiles of the map on the screen: a cache, and one job after the other for what is missing.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <deque>
#include <optional>
#include <vector>

#include "widgets/heatmap/map_source.h"
#include "widgets/heatmap/tile_cache.h"
#include "widgets/state/job_runner.h"

namespace widgets {

/// Lives in the GUI thread; only the computing is on the worker.
class HeatmapTiles : public QObject {
  Q_OBJECT
 public:
  HeatmapTiles(JobRunner& jobs, const QString& jobKey, std::size_t budget, QObject* parent = nullptr);
  ~HeatmapTiles() override;

  /// Another head of the same capture keeps the tiles of the heads before; null stops the work.
  void setSource(std::shared_ptr<const MapSource> source);
  const std::shared_ptr<const MapSource>& source() const { return m_source; }

  /// A key with the current capture and head.
  TileKey baseKey(core::Stage stage, core::Reduction reduction) const;
  Tile find(const TileKey& key) { return m_cache.find(key); }

  /// Computes these in this order, as many as the budget holds, those already there apart. Replaces what was wanted
  /// before; a running tile that is no longer wanted is cancelled.
  void want(const std::vector<TileKey>& tiles);
  bool isIdle() const { return m_wanted.empty() && !m_running; }
  std::size_t bytes() const { return m_cache.bytes(); }

 Q_SIGNALS:
  void tileReady();
  void failed(const QString& sentence);

 private:
  void startNext();

  QPointer<JobRunner> m_jobs;  // a window may destroy it before its widgets
  QString m_jobKey;
  TileCache m_cache;
  std::shared_ptr<const MapSource> m_source;
  std::uint64_t m_capture = 0;
  std::deque<TileKey> m_wanted;
  std::optional<TileKey> m_running;
};

}  // namespace widgets
