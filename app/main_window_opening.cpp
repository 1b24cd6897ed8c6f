// Opening models in the window: by path, by dropping, from the list of recent files, one of several steps.
#include <QDialog>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>

#include "app/dropped_files.h"
#include "app/main_menu.h"
#include "app/main_window.h"
#include "app/samples.h"
#include "widgets/panels/checkpoint_dialog.h"
#include "widgets/panels/dialogs.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/model_panel.h"
#include "widgets/panels/prompt_panel.h"

namespace app {

void MainWindow::open(const Workbench::Opening& what) {
  if (!what.path.isEmpty()) return m_workbench->open(what);
  onOpenFailed(what, core::Error(core::ErrorKind::NotFound,
                                 tr("The model that comes with this program is missing. Install the program again, or "
                                    "open a checkpoint of your own.")
                                     .toStdString()));
}

void MainWindow::onOpened() {
  const core::ModelInfo& info = m_workbench->session()->info();
  setWindowTitle(tr("%1 – Headscope").arg(QString::fromStdString(info.name)));
  m_modelLine->setLoading({});
  m_modelLine->setModel(info);
  m_model->setModel(info, m_workbench->overrides());
  m_settings.addRecent(m_workbench->path());
  m_reader->setSession(m_workbench->session());
  m_prompt->setSession(m_workbench->session());
  showPrefixAction();
  m_prompt->run();
}

void MainWindow::onSeveralFound(const Workbench::Opening& what, const std::vector<core::Openable>& offers) {
  m_modelLine->setLoading({});
  QDialog* dialog = widgets::chooseCheckpoint(what.path, offers, this, [this, what](const core::Openable& offer) {
    open({QString::fromStdString(offer.path.string()), what.tokenizer, what.overrides});
  });
  connect(dialog, &QDialog::rejected, this, &MainWindow::showSomething);
}

// A window is never empty: what was open stays, and without that the small model is shown.
void MainWindow::showSomething() {
  if (!m_workbench->session()) openModel(bundledModel());
}

void MainWindow::onOpenFailed(const Workbench::Opening& what, const core::Error& error) {
  const QString& path = what.path;
  m_modelLine->setLoading({});
  if (error.kind() == core::ErrorKind::Cancelled) return statusBar()->showMessage(tr("Opening was cancelled."), 5000);
  const QString title =
      path.isEmpty() ? tr("There is no model to open") : tr("%1 can't be opened").arg(QFileInfo(path).fileName());
  offerWayOut(*widgets::showError(title, error, this), what, error.kind());
  Q_EMIT openFailed(error);
  if (path != bundledModel()) showSomething();
}

/// A button for what is likely wanted next, where there is such a thing.
void MainWindow::offerWayOut(QMessageBox& box, const Workbench::Opening& what, core::ErrorKind kind) {
  const auto offer = [&](const QString& text, const std::function<void()>& action) {
    connect(box.addButton(text, QMessageBox::ActionRole), &QPushButton::clicked, this, action);
  };
  if (kind == core::ErrorKind::NotFound && m_settings.remembers(what.path))
    offer(tr("Remove from Recent Files"), [this, path = what.path] { m_settings.removeRecent(path); });
  if (kind == core::ErrorKind::Io) offer(tr("Try Again"), [this, what] { open(what); });
  if (kind != core::ErrorKind::NotAModel) return;
  if (const auto model = core::modelOfOptimizer(what.path.toStdString())) {
    Workbench::Opening instead = what;
    instead.path = QString::fromStdString(model->string());
    offer(tr("Open %1").arg(QFileInfo(instead.path).fileName()), [this, instead] { open(instead); });
  }
}

void MainWindow::fillRecent() {
  m_menu->recent->clear();
  for (const QString& path : m_settings.recent()) {
    QAction* action = m_menu->recent->addAction(QString(path).replace('&', "&&"));
    connect(action, &QAction::triggered, this, [this, path] { openModel(path); });
  }
  if (m_menu->recent->isEmpty()) {
    m_menu->recent->addAction(tr("None yet"))->setEnabled(false);
    return;
  }
  m_menu->recent->addSeparator();
  connect(m_menu->recent->addAction(tr("Clear This List")), &QAction::triggered, this,
          [this] { m_settings.clearRecent(); });
}

void MainWindow::fillSamples() {
  m_menu->samples->clear();
  bool more = false;
  const QString bundled = bundledModel();
  for (const Sample& sample : samples()) {
    QAction* action = m_menu->samples->addAction(QString(sample.name).replace('&', "&&"));
    connect(action, &QAction::triggered, this, [this, path = sample.path] { openModel(path); });
    more = more || sample.path != bundled;
  }
  if (!more) m_menu->samples->addAction(tr("SmolLM2-135M: fetched by scripts/setup --with-smollm2"))->setEnabled(false);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  std::vector<std::filesystem::path> paths;
  for (const QUrl& url : event->mimeData()->urls())
    if (const QString path = url.toLocalFile(); !path.isEmpty()) paths.emplace_back(path.toStdString());
  event->acceptProposedAction();
  if (paths.empty())
    return statusBar()->showMessage(tr("Only files and folders of this computer can be opened."), 5000);
  const DroppedFiles dropped = sortDropped(paths);
  const QString model = QString::fromStdString(dropped.model.string());
  if (dropped.leftOver)
    statusBar()->showMessage(tr("One model at a time: %1 is opened.").arg(QFileInfo(model).fileName()), 10'000);
  openModel(model, QString::fromStdString(dropped.tokenizer.string()));
}

}  // namespace app
