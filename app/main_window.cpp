#include "app/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QStatusBar>
#include <QTimer>

#include "app/about.h"
#include "app/main_menu.h"
#include "app/samples.h"
#include "core/file_patterns.h"
#include "widgets/heatmap/heads_panel.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_panel.h"
#include "widgets/panels/dialogs.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/model_panel.h"
#include "widgets/panels/prompt_panel.h"
#include "widgets/panels/settings_form.h"
#include "widgets/panels/token_strip.h"

namespace app {

using widgets::PromptPanel;
using widgets::TokenStrip;

namespace {

QString megabytes(std::size_t bytes) {
  return QLocale().formattedDataSize(static_cast<qint64>(bytes), 0, QLocale::DataSizeSIFormat);
}

QString savedText(const core::Capture& capture) {
  return MainWindow::tr("saved capture %1 · %2 layers × %3 heads · %4 tokens")
      .arg(QString::fromStdString(capture.file().filename().string()))
      .arg(capture.layers().size())
      .arg(capture.heads().size())
      .arg(capture.size());
}

}  // namespace

MainWindow::MainWindow(Settings& settings, QWidget* parent) : QMainWindow(parent), m_settings(settings) {
  setWindowTitle(tr("Headscope"));
  setAcceptDrops(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setContextMenuPolicy(Qt::NoContextMenu);
  m_menu = new MainMenu(*menuBar(), m_state, this);
  m_workbench = new Workbench(m_state, m_jobs, this);
  m_reader = new widgets::CellReader(m_state, m_jobs, this);
  buildParts();
  buildDocks();
  connectMenu();
  connectPrompt();
  connectModel();
  connectState();
  connectMap();
  restoreWindow();
  showStatus();
}

// A widget that goes may still answer, as when the cursor leaves it. So all are hidden while all are there, and those
// that follow the state or the worker go before these, which are members.
MainWindow::~MainWindow() {
  const auto docks = findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly);
  for (QDockWidget* dock : docks) dock->hide();  // a floating one is a window of its own
  hide();
  qDeleteAll(docks);
  delete takeCentralWidget();
}

void MainWindow::chooseFile(const QString& title, const QString& start, QFileDialog::FileMode mode,
                            const QString& filter, std::function<void(const QString&)> chosen) {
  auto* dialog = new QFileDialog(this, title, start, filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(mode);
  if (mode == QFileDialog::AnyFile) dialog->setAcceptMode(QFileDialog::AcceptSave);
  connect(dialog, &QFileDialog::fileSelected, this, chosen);
  dialog->open();
}

void MainWindow::connectMenu() {
  const auto on = [this](QAction* action, auto slot) { connect(action, &QAction::triggered, this, slot); };
  const auto folder = [this] { return QFileInfo(m_workbench->path()).path(); };
  on(m_menu->open, [this, folder] {
    chooseFile(tr("Open a checkpoint"), folder(), QFileDialog::ExistingFile,
               tr("Checkpoints (%1);;All files (*)").arg(QString::fromStdString(core::openPatterns())),
               [this](const QString& path) { openModel(path); });
  });
  on(m_menu->openFolder, [this, folder] {
    chooseFile(tr("Open a folder with a checkpoint"), folder(), QFileDialog::Directory, {},
               [this](const QString& path) { openModel(path); });
  });
  on(m_menu->chooseTokenizer, [this, folder] {
    chooseFile(tr("Choose the tokenizer"), folder(), QFileDialog::ExistingFile,
               tr("Tokenizers (tokenizer.json *.pkl *.json);;All files (*)"),
               [this](const QString& path) { m_workbench->chooseTokenizer(path); });
  });
  on(m_menu->openBundled, [this] { openModel(bundledModel()); });
  on(m_menu->reload, [this] { m_workbench->reload(); });
  on(m_menu->verify, [this] { m_workbench->verify(); });
  on(m_menu->quit, [this] { close(); });
  connect(m_menu->recent, &QMenu::aboutToShow, this, [this] { fillRecent(); });
  connect(m_menu->samples, &QMenu::aboutToShow, this, [this] { fillSamples(); });

  auto* edit = m_prompt->findChild<QPlainTextEdit*>();
  on(m_menu->undo, [edit] { edit->undo(); });
  on(m_menu->redo, [edit] { edit->redo(); });
  on(m_menu->editPrompt, [edit] { edit->setFocus(Qt::ShortcutFocusReason); });
  on(m_menu->promptIsIds,
     [this](bool ids) { m_prompt->setEntry(ids ? PromptPanel::Entry::Ids : m_prompt->textEntry()); });

  on(m_menu->beginWithPrefix,
     [this](bool begin) { m_prompt->setPrefix(begin ? core::Prefix::AsTrained : core::Prefix::LeftOut); });

  on(m_menu->releasePin, [this] { m_state.setPinned(std::nullopt); });
  on(m_menu->resetLayout, [this] { resetLayout(); });
  connect(m_menu, &MainMenu::appearanceChosen, this, [this](widgets::Appearance appearance) {
    m_settings.setAppearance(appearance);
    widgets::apply(appearance);
  });
  connect(m_menu, &MainMenu::tintChosen, m_strip, &TokenStrip::setTint);
  m_menu->setAppearance(m_settings.appearance());
  m_menu->setTint(m_strip->tint());

  on(m_menu->run, [this] { m_prompt->run(); });
  on(m_menu->cancel, [this] { m_workbench->cancel(); });
  on(m_menu->settings, [this] { showSettings(); });
  on(m_menu->asTrained, [this] { m_model->form().asTrained(); });
  on(m_menu->shortcuts, [this] { widgets::showTable(tr("Keys"), m_menu->keys(), this); });
  on(m_menu->report, [this] {
    if (m_workbench->session()) widgets::showLoadReport(m_workbench->session()->info(), this);
  });
  on(m_menu->about, [this] { showAbout(); });
}

void MainWindow::connectPrompt() {
  connect(m_prompt, &PromptPanel::runRequested, m_workbench, &Workbench::run);
  connect(m_prompt, &PromptPanel::cancelRequested, m_workbench, &Workbench::cancel);
  connect(m_prompt, &PromptPanel::tokenizerRequested, m_menu->chooseTokenizer, &QAction::trigger);
  connect(m_prompt, &PromptPanel::cannotRun, this, &MainWindow::cannotRun);
  connect(m_prompt, &PromptPanel::entryChanged, this, [this](PromptPanel::Entry entry) {
    m_menu->promptIsIds->setChecked(entry == PromptPanel::Entry::Ids);
    showPrefixAction();
  });
  connect(m_prompt, &PromptPanel::prefixChanged, this, [this] { showPrefixAction(); });
}

void MainWindow::connectModel() {
  connect(m_modelLine, &widgets::ModelLine::openRequested, m_menu->open, &QAction::trigger);
  connect(m_modelLine, &widgets::ModelLine::reportRequested, m_menu->report, &QAction::trigger);
  connect(m_modelLine, &widgets::ModelLine::modelRequested, this, &MainWindow::showSettings);
  connect(m_model, &widgets::ModelPanel::overridesChosen, m_workbench, &Workbench::setOverrides);
  connect(m_workbench, &Workbench::opening, this,
          [this](const QString& path) { m_modelLine->setLoading(tr("opening %1 …").arg(QFileInfo(path).fileName())); });
  connect(m_workbench, &Workbench::opened, this, [this] { onOpened(); });
  connect(m_workbench, &Workbench::severalFound, this, &MainWindow::onSeveralFound);
  connect(m_workbench, &Workbench::openFailed, this, &MainWindow::onOpenFailed);
  connect(m_workbench, &Workbench::runFailed, this, [this](const core::Error& error) {
    if (error.kind() == core::ErrorKind::Cancelled) return statusBar()->showMessage(tr("The run was cancelled."), 5000);
    widgets::showError(tr("The prompt can't run"), error, this);
    Q_EMIT cannotRun(error.what());
  });
  connect(m_workbench, &Workbench::verified, this, [this](const core::Verification& verified) {
    const QString read = megabytes(static_cast<std::size_t>(verified.bytes));
    statusBar()->showMessage(verified.note.empty() ? tr("All %n checksums of the file are right (%1 read).", nullptr,
                                                        static_cast<int>(verified.members))
                                                         .arg(read)
                                                   : tr("%1 read. %2").arg(read, QString::fromStdString(verified.note)),
                             10000);
  });
  connect(m_workbench, &Workbench::verifyFailed, this, [this](const core::Error& error) {
    if (error.kind() != core::ErrorKind::Cancelled)
      widgets::showError(tr("The file is not as it was saved"), error, this);
  });
  connect(&m_jobs, &widgets::JobRunner::busyChanged, this, [this] { onBusy(); });
  connect(&m_jobs, &widgets::JobRunner::progressed, this,
          [this](const QString& key, double fraction, const QString& stage) {
            if (key == "run" || key == "open" || key == "verify" || key == "export")
              m_prompt->setProgress(fraction, stage);
          });
  connect(m_reader, &widgets::CellReader::failed, this,
          [this](const QString& sentence) { statusBar()->showMessage(sentence, 10000); });
}

void MainWindow::connectState() {
  connect(&m_state, &widgets::ViewState::captureChanged, this, [this] {
    const auto capture = m_state.capture();
    m_modelLine->setDifferences(capture ? capture->facts().differences : std::vector<std::string>());
    if (capture) m_modelLine->setLoading(capture->isSaved() ? savedText(*capture) : QString());
    showStatus();
  });
  connect(&m_state, &widgets::ViewState::colouringChanged, this,
          [this] { m_heads->setColours(m_map->colorRange(), m_map->ranks()); });
  connect(&m_state, &widgets::ViewState::cellChanged, this,
          [this] { m_menu->releasePin->setEnabled(m_state.pinned() && !m_menu->cancel->isEnabled()); });
}

void MainWindow::setPrompt(const QString& text, PromptPanel::Entry entry, core::Prefix prefix) {
  m_prompt->setPrefix(prefix);
  m_prompt->setEntry(entry);
  m_prompt->setText(text);
}

QString MainWindow::prompt() const { return m_prompt->text(); }

void MainWindow::showSettings() {
  m_modelDock->show();
  m_modelDock->raise();
  m_model->form().focusFirst();
}

void MainWindow::showPrefixAction() {
  QString labels;
  if (const auto session = m_workbench->session())
    for (const core::TokenText& token : session->prefix()) labels += QString::fromStdString(token.label);
  m_menu->beginWithPrefix->setEnabled(!labels.isEmpty() && m_prompt->entry() != PromptPanel::Entry::Ids);
  m_menu->beginWithPrefix->setChecked(m_prompt->prefix() == core::Prefix::AsTrained);
  m_menu->beginWithPrefix->setText(labels.isEmpty() ? tr("&Begin as Training Did")
                                                    : tr("&Begin with %1").arg(labels.replace('&', "&&")));
}

void MainWindow::onBusy() {
  const bool busy = m_workbench->isBusy();
  if (busy != m_menu->cancel->isEnabled()) {
    m_prompt->setRunning(busy);
    m_menu->cancel->setEnabled(busy);
    m_menu->releasePin->setEnabled(m_state.pinned() && !busy);
  }
  showStatus();
  settleLater();
}

void MainWindow::settleLater() {
  // Later, so that whoever answers the same signal may first submit what follows from it.
  QTimer::singleShot(0, this, [this] {
    if (isSettled()) Q_EMIT settled();
  });
}

bool MainWindow::isSettled() const {
  return m_state.capture() && m_jobs.isIdle() && m_heads->isComplete() && (m_map->isExact() || m_map->hasFailed());
}

void MainWindow::showStatus() {
  QStringList parts;
  if (const auto capture = m_state.capture()) {
    if (const QString readout = m_map->readout(); !readout.isEmpty()) parts << readout;
    parts << m_map->view().pixelLegend()
          << tr("%1, %2, capture %3")
                 .arg(QString::fromStdString(capture->facts().path))
                 .arg(capture->size() == 1 ? tr("1 token") : tr("%1 tokens").arg(capture->size()))
                 .arg(megabytes(capture->bytes()));
    for (const std::string& warning : capture->facts().warnings) parts << QString::fromStdString(warning);
  }
  parts << (m_workbench->isOpening()     ? tr("opening")
            : m_workbench->isRunning()   ? tr("running")
            : m_workbench->isVerifying() ? tr("verifying")
            : m_workbench->isExporting() ? tr("exporting")
                                         : tr("ready"));
  m_status->setText(parts.join("  ·  "));
}

void MainWindow::showAbout() {
  m_jobs.submit<core::DeviceFacts>(
      "about", widgets::JobPriority::Interactive, [](const core::Progress&) { return core::deviceFacts(); },
      [this](core::DeviceFacts facts) { widgets::showTable(tr("About Headscope"), systemFacts(facts), this); },
      [this](const core::Error& error) { widgets::showError(tr("About Headscope"), error, this); });
}

void MainWindow::saveSession() {
  m_settings.setWindow(saveGeometry(), saveState());
  m_settings.setPrompt(m_prompt->text(), m_prompt->entry(), m_prompt->prefix());
  m_settings.setModel(m_workbench->path(), m_workbench->tokenizer());
  m_settings.saveView(m_state);
  m_settings.sync();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  saveSession();
  m_jobs.cancelAll();
  event->accept();
}

}  // namespace app
