// One worker thread for all heavy work: a newer job of the same key replaces the queued one and cancels the running
// one.
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>

#include "core/error.h"
#include "core/progress.h"

namespace widgets {

/// Which of the waiting jobs starts next: the first in the order of this list, then the oldest.
enum class JobPriority { Interactive, View, Background };

/// Lives in the GUI thread; results come back in it, through its event loop. All Torch work of the window goes through
/// one JobRunner, so there is one thread in LibTorch at a time.
class JobRunner : public QObject {
  Q_OBJECT
 public:
  explicit JobRunner(QObject* parent = nullptr);
  ~JobRunner() override;  ///< cancels everything and joins the worker; no result arrives afterwards

  /// Runs `work` on the worker, then `done(result)` or `failed(error)` here. A job that was replaced or cancelled
  /// before or while it ran answers with neither, except that cancel() of a running or queued job calls `failed` with
  /// ErrorKind::Cancelled. Foreign exceptions arrive as core::Error (bad_alloc as OutOfMemory).
  template <class Result>
  void submit(const QString& key, JobPriority priority, std::function<Result(const core::Progress&)> work,
              std::function<void(Result)> done, std::function<void(const core::Error&)> failed) {
    auto result = std::make_shared<std::unique_ptr<Result>>();
    submitErased(
        key, priority,
        [result, work = std::move(work)](const core::Progress& p) { *result = std::make_unique<Result>(work(p)); },
        [result, done = std::move(done)] { done(std::move(**result)); }, std::move(failed));
  }

  void cancel(const QString& key);
  void cancelAll();
  bool isBusy(const QString& key) const;  ///< queued or running
  bool isIdle() const;                    ///< nothing is queued or running

 Q_SIGNALS:
  /// In this object's thread; at most about 20 a second for a job.
  void progressed(const QString& key, double fraction, const QString& stage);
  void busyChanged(const QString& key, bool busy);

 private:
  void submitErased(const QString& key, JobPriority priority, std::function<void(const core::Progress&)> work,
                    std::function<void()> done, std::function<void(const core::Error&)> failed);
  void deliver();                         ///< one message of the worker
  void announceBusy(const QString& key);  ///< emits busyChanged when it changed

  struct Worker;
  std::unique_ptr<Worker> m_worker;
};

}  // namespace widgets
