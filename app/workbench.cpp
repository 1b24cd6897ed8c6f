#include "app/workbench.h"

#include "core/saved_capture.h"

namespace app {

using widgets::JobPriority;

namespace {

bool isCaptureFile(const QString& path) {
  return path.endsWith(".npz", Qt::CaseInsensitive) || path.endsWith(".npy", Qt::CaseInsensitive);
}

}  // namespace

Workbench::Workbench(widgets::ViewState& state, widgets::JobRunner& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_jobs(jobs) {}

void Workbench::open(const Opening& what) {
  if (what.path.isEmpty()) return;
  if (isCaptureFile(what.path)) return openCapture(what.path);
  Q_EMIT opening(what.path);
  core::OpenOptions options;
  if (!what.tokenizer.isEmpty()) options.tokenizer = std::filesystem::path(what.tokenizer.toStdString());
  struct Found {
    std::vector<core::Openable> offers;
    std::shared_ptr<const core::Session> session;  // null when there are several
  };
  m_jobs.submit<Found>(
      "open", JobPriority::Interactive,
      [location = what.path.toStdString(), options](const core::Progress& progress) {
        Found found{core::openable(location), nullptr};
        if (found.offers.size() == 1) found.session = core::Session::open(found.offers.front().path, options, progress);
        return found;
      },
      [this, what](Found found) {
        if (!found.session) {
          Q_EMIT severalFound(what, found.offers);
          return;
        }
        m_jobs.cancel("run");
        m_session = std::move(found.session);
        m_path = QString::fromStdString(m_session->info().path.string());
        m_tokenizer = what.tokenizer;
        m_overrides = what.overrides;
        m_lastTokens.clear();
        m_state.setCapture(nullptr);
        Q_EMIT opened();
      },
      [this, what](const core::Error& error) { Q_EMIT openFailed(what, error); });
}

void Workbench::run(std::vector<core::TokenId> tokens) {
  if (!m_session) return;
  m_lastTokens = tokens;
  const core::RunRequest request{.tokens = std::move(tokens), .overrides = m_overrides, .memoryBudget = m_memoryBudget};
  m_jobs.submit<std::shared_ptr<const core::Capture>>(
      "run", JobPriority::Interactive,
      [session = m_session, request](const core::Progress& progress) { return session->run(request, progress); },
      [this, session = m_session](std::shared_ptr<const core::Capture> capture) {
        if (session != m_session) return;
        m_state.setCapture(std::move(capture));
      },
      [this](const core::Error& error) { Q_EMIT runFailed(error); });
}

void Workbench::setOverrides(const core::Overrides& overrides) {
  if (!m_session || overrides == m_overrides) return;
  m_overrides = overrides;
  if (!m_lastTokens.empty()) run(m_lastTokens);
}

void Workbench::verify() {
  if (!m_session) return;
  m_jobs.submit<core::Verification>(
      "verify", JobPriority::Background,
      [file = std::filesystem::path(m_path.toStdString())](const core::Progress& progress) {
        return core::verifyChecksums(file, progress);
      },
      [this](const core::Verification& verification) { Q_EMIT verified(verification); },
      [this](const core::Error& error) { Q_EMIT verifyFailed(error); });
}

void Workbench::openCapture(const QString& path) {
  Q_EMIT opening(path);
  m_jobs.submit<std::shared_ptr<const core::Capture>>(
      "open", JobPriority::Interactive,
      [file = std::filesystem::path(path.toStdString())](const core::Progress& progress) {
        return core::openSavedCapture(file, progress);
      },
      [this](std::shared_ptr<const core::Capture> capture) {
        m_jobs.cancel("run");
        m_state.setCapture(std::move(capture));
      },
      [this, path](const core::Error& error) {
        Q_EMIT openFailed({path, {}, {}}, error);
      });
}

void Workbench::cancel() {
  for (const char* key : {"run", "open", "verify", "export"}) {
    if (m_jobs.isBusy(key)) return m_jobs.cancel(key);
  }
}

}  // namespace app
