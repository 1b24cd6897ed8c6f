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

#include "app/bundled_model.h"
#include "app/dropped_files.h"
#include "app/main_menu.h"
#include "app/main_window.h"
#include "widgets/panels/checkpoint_dialog.h"
#include "widgets/panels/dialogs.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/model_panel.h"
#include "widgets/panels/prompt_panel.h"

namespace app {

void MainWindow::open(const Workbench::Opening& what) {
  if (!what.path.isEmpty()) return m_workbench->open(what);
  onOpenFailed({}, core::Error(core::ErrorKind::NotFound,
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

void MainWindow::onOpenFailed(const QString& path, const core::Error& error) {
  m_modelLine->setLoading({});
  if (error.kind() == core::ErrorKind::Cancelled) return statusBar()->showMessage(tr("Opening was cancelled."), 5000);
  const QString title =
      path.isEmpty() ? tr("There is no model to open") : tr("%1 can't be opened").arg(QFileInfo(path).fileName());
  QMessageBox* box = widgets::showError(title, error, this);
  if (error.kind() == core::ErrorKind::NotFound && m_settings.remembers(path)) {
    QPushButton* remove = box->addButton(tr("Remove from Recent Files"), QMessageBox::ActionRole);
    connect(remove, &QPushButton::clicked, this, [this, path] { m_settings.removeRecent(path); });
  }
  Q_EMIT openFailed(error);
  if (path != bundledModel()) showSomething();
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
