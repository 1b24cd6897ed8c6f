// The values of all heads' thumbnails, computed on the worker.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/head_metrics.h"
#include "core/ids.h"
#include "core/map_source.h"
#include "widgets/state/job_runner.h"

namespace widgets {

/// What a grid of heads draws: so many heads, and a map for each.
struct HeadGridModel {
  int layers = 0;
  int heads = 0;
  int kvHeads = 0;
  std::function<std::shared_ptr<const core::MapSource>(core::HeadId)> source;
  std::string letters = {};  ///< a layer's window, one each: "SSSL"; empty where all are alike
  std::function<const core::HeadMetrics*(core::HeadId)> metrics = {};  ///< nullptr, or giving it: not known

  std::size_t count() const { return static_cast<std::size_t>(layers) * static_cast<std::size_t>(heads); }
  core::HeadId headAt(std::size_t index) const;  ///< in reading order
  std::size_t indexOf(core::HeadId head) const;
  std::vector<core::HeadId> allHeads() const;
  std::vector<core::HeadId> headsOf(core::Layer layer) const;
};

/// The overview of a head, of at most kMostBlocks x kMostBlocks values.
struct HeadThumbnail {
  static constexpr std::int64_t kMostBlocks = 64;
  std::optional<core::MapValues> values;  ///< none: not computed yet, or it failed
  std::int64_t block = 1;                 ///< cells in each direction that a value stands for
  core::BrokenRows broken;
};

/// In jobs of the lowest priority, each of a head or, of a long one, a part of it, so that what is looked at comes in
/// between. First what is in sight, then the rest in reading order.
class HeadThumbnails : public QObject {
  Q_OBJECT
 public:
  explicit HeadThumbnails(JobRunner& jobs, QObject* parent = nullptr);
  ~HeadThumbnails() override;

  void setModel(HeadGridModel model);  ///< forgets all thumbnails and begins again
  void setInSight(std::vector<core::HeadId> heads) { m_inSight = std::move(heads); }

  const HeadGridModel& model() const { return m_model; }
  const HeadThumbnail& of(core::HeadId head) const { return m_thumbnails.at(m_model.indexOf(head)); }
  bool isComplete() const { return m_done == m_thumbnails.size(); }  ///< each is there or has failed

 Q_SIGNALS:
  void ready(core::HeadId head);
  void completed();

 private:
  std::size_t next() const;
  void beginNext();
  void goOn();
  void finish();  // the present one

  QPointer<JobRunner> m_jobs;  // a window may destroy it before its widgets
  HeadGridModel m_model;
  std::vector<HeadThumbnail> m_thumbnails;  // reading order
  std::vector<char> m_isDone;
  std::size_t m_done = 0;
  std::vector<core::HeadId> m_inSight;
  std::size_t m_current = 0;
  std::shared_ptr<const core::MapSource> m_source;  // of the present one
  HeadThumbnail m_part;                             // its rows so far
  core::Position m_nextRow = 0;
};

}  // namespace widgets
