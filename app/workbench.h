// The opened model and its last run. What was open stays open when something fails.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/openable.h"
#include "core/session.h"
#include "core/verify.h"
#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

namespace app {

class Workbench : public QObject {
  Q_OBJECT
 public:
  Workbench(widgets::ViewState& state, widgets::JobRunner& jobs, QObject* parent);

  const std::shared_ptr<const core::Session>& session() const { return m_session; }
  QString path() const { return m_path; }            ///< of the opened model
  QString tokenizer() const { return m_tokenizer; }  ///< chosen by hand, else empty

  /// What to open, and with what.
  struct Opening {
    QString path;               ///< as a user may write it; core resolves relative paths, ~ and file URLs
    QString tokenizer;          ///< chosen by hand; empty: where the model keeps it
    core::Overrides overrides;  ///< of the runs to come
  };
  void open(const Opening& what);
  void reload() { open({m_path, m_tokenizer, {}}); }
  void chooseTokenizer(const QString& tokenizer) { open({m_path, tokenizer, {}}); }

  void run(std::vector<core::TokenId> tokens);
  /// For this and the next runs of this model; runs the last prompt again.
  void setOverrides(const core::Overrides& overrides);
  const core::Overrides& overrides() const { return m_overrides; }
  /// For the next runs of every model: a run that would take more bytes fails. nullopt: what the system has free.
  void setMemoryBudget(std::optional<std::int64_t> bytes) { m_memoryBudget = bytes; }
  void verify();  ///< reads the opened file whole and compares its checksums
  void cancel();  ///< the run, else the opening, verifying or exporting
  /// Shows attention that was saved; the opened model stays, and its next run takes the place of the capture. open()
  /// does the same for .npz and .npy files, which no checkpoint is.
  void openCapture(const QString& path);

  bool isOpening() const { return m_jobs.isBusy("open"); }
  bool isVerifying() const { return m_jobs.isBusy("verify"); }
  bool isRunning() const { return m_jobs.isBusy("run"); }
  bool isExporting() const { return m_jobs.isBusy("export"); }
  bool isBusy() const { return isRunning() || isOpening() || isVerifying() || isExporting(); }

 Q_SIGNALS:
  void opening(const QString& path);
  void opened();
  /// The path holds several checkpoints: nothing is opened until one of them is named.
  void severalFound(const app::Workbench::Opening& what, const std::vector<core::Openable>& offers);
  void openFailed(const app::Workbench::Opening& what, const core::Error& error);
  void runFailed(const core::Error& error);
  void verified(const core::Verification& verification);
  void verifyFailed(const core::Error& error);

 private:
  widgets::ViewState& m_state;
  widgets::JobRunner& m_jobs;
  std::shared_ptr<const core::Session> m_session;
  QString m_path;
  QString m_tokenizer;
  core::Overrides m_overrides;
  std::optional<std::int64_t> m_memoryBudget;
  std::vector<core::TokenId> m_lastTokens;
};

}  // namespace app
