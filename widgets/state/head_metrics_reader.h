// Computes the numbers of heads on the worker, one head after the other.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "core/head_metrics.h"
#include "core/ids.h"
#include "widgets/state/job_runner.h"

namespace widgets {

/// In jobs of the lowest priority, each of a head or, of a long one, a part of it, so that what is looked at comes in
/// between.
class HeadMetricsReader : public QObject {
  Q_OBJECT
 public:
  using Source = std::function<std::shared_ptr<const core::MapSource>(core::HeadId)>;

  /// key: of its jobs.
  HeadMetricsReader(JobRunner& jobs, const QString& key, QObject* parent = nullptr);
  ~HeadMetricsReader() override;

  /// Forgets all numbers and reads those of `heads`, in this order; their maps have at least one token.
  void start(std::vector<core::HeadId> heads, Source source);
  void stop();  ///< and forgets

  const core::HeadMetrics* metrics(core::HeadId head) const;  ///< nullptr: not read yet, or it failed
  bool isComplete() const { return m_next == m_heads.size(); }

 Q_SIGNALS:
  void metricsReady(core::HeadId head);
  void failed(const QString& sentence);  ///< the next head is read all the same

 private:
  void goOn(std::shared_ptr<core::HeadMetricsWork> work = nullptr);

  QPointer<JobRunner> m_jobs;  // a window may destroy it before its widgets
  QString m_key;
  std::vector<core::HeadId> m_heads;
  Source m_source;
  std::size_t m_next = 0;
  std::map<core::HeadId, core::HeadMetrics> m_metrics;
};

}  // namespace widgets
