#include "app/workbench.h"

namespace app {

using widgets::JobPriority;

Workbench::Workbench(widgets::ViewState& state, widgets::JobRunner& jobs, QObject* parent)
    : QObject(parent), m_state(state), m_jobs(jobs) {}

void Workbench::open(const QString& path, const QString& tokenizer) {
  if (path.isEmpty()) return;
  Q_EMIT opening(path);
  core::OpenOptions options;
  if (!tokenizer.isEmpty()) options.tokenizer = std::filesystem::path(tokenizer.toStdString());
  m_jobs.submit<std::shared_ptr<const core::Session>>(
      "open", JobPriority::Interactive,
      [file = std::filesystem::path(path.toStdString()), options](const core::Progress& progress) {
        return core::Session::open(file, options, progress);
      },
      [this, tokenizer](std::shared_ptr<const core::Session> session) {
        m_jobs.cancel("run");
        m_session = std::move(session);
        m_path = QString::fromStdString(m_session->info().path.string());
        m_tokenizer = tokenizer;
        m_gelu.reset();
        m_lastTokens.clear();
        m_state.setCapture(nullptr);
        Q_EMIT opened();
      },
      [this, path](const core::Error& error) { Q_EMIT openFailed(path, error); });
}

void Workbench::run(std::vector<core::TokenId> tokens) {
  if (!m_session) return;
  m_lastTokens = tokens;
  const core::RunRequest request{std::move(tokens), m_gelu};
  m_jobs.submit<std::shared_ptr<const core::Capture>>(
      "run", JobPriority::Interactive,
      [session = m_session, request](const core::Progress& progress) { return session->run(request, progress); },
      [this, session = m_session](std::shared_ptr<const core::Capture> capture) {
        if (session != m_session) return;
        m_state.setCapture(std::move(capture));
      },
      [this](const core::Error& error) { Q_EMIT runFailed(error); });
}

void Workbench::setGelu(core::Gelu gelu) {
  if (!m_session) return;
  m_gelu = gelu;
  if (!m_lastTokens.empty()) run(m_lastTokens);
}

void Workbench::verify() {
  if (!m_session) return;
  m_jobs.submit<core::Verification>(
      "verify", JobPriority::Background,
      [file = m_session->info().path](const core::Progress& progress) { return core::verifyChecksums(file, progress); },
      [this](const core::Verification& verification) { Q_EMIT verified(verification); },
      [this](const core::Error& error) { Q_EMIT verifyFailed(error); });
}

void Workbench::cancel() {
  for (const char* key : {"run", "open", "verify"}) {
    if (m_jobs.isBusy(key)) return m_jobs.cancel(key);
  }
}

}  // namespace app
