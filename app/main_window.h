// The window. It builds the parts and connects them; what they do is theirs.
#pragma once

#include <QFileDialog>
#include <QMainWindow>
#include <functional>

#include "app/settings.h"
#include "app/workbench.h"
#include "widgets/panels/cell_reader.h"
#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

class QDockWidget;
class QLabel;
class QMessageBox;

namespace widgets {
class HeadsPanel;
class MapPanel;
class ModelLine;
class ModelPanel;
class PromptPanel;
class TokenStrip;
}  // namespace widgets

namespace app {

class Exports;
class MainMenu;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Opens in the background and runs the prompt when it is there.
  void open(const Workbench::Opening& what);
  void openModel(const QString& path, const QString& tokenizer = {}) { open({path, tokenizer, {}}); }
  void setPrompt(const QString& text, widgets::PromptPanel::Entry entry, core::Prefix prefix = core::Prefix::AsTrained);
  QString prompt() const;  ///< as the editor has it
  void saveSession();
  void fitToScreen();  ///< a remembered place may be on a screen that is gone

  /// A run is shown, with all thumbnails, numbers and pixels (or why there are none); nothing is under way.
  bool isSettled() const;

  widgets::ViewState& state() { return m_state; }
  Workbench& workbench() { return *m_workbench; }
  widgets::JobRunner& jobs() { return m_jobs; }

 Q_SIGNALS:
  void settled();
  void openFailed(const core::Error& error);
  void cannotRun(const QString& sentence);
  void mapFailed(const QString& sentence);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildParts();
  void buildDocks();
  void connectMenu();
  void connectPrompt();
  void connectModel();
  void connectState();
  void connectMap();
  void choosePart();
  void fillRecent();
  void fillSamples();
  void chooseFile(const QString& title, const QString& start, QFileDialog::FileMode mode, const QString& filter,
                  std::function<void(const QString&)> chosen);
  void connectExports();
  void showSettings();
  void showPrefixAction();
  void showAbout();
  void onOpened();
  void onSeveralFound(const Workbench::Opening& what, const std::vector<core::Openable>& offers);
  void showSomething();
  void onOpenFailed(const Workbench::Opening& what, const core::Error& error);
  void offerWayOut(QMessageBox& box, const Workbench::Opening& what, core::ErrorKind kind);
  void settleLater();  ///< tells that the window is settled, if it is
  void onBusy();
  void showStatus();
  void restoreWindow();
  void resetLayout();

  Settings& m_settings;
  widgets::ViewState m_state;
  MainMenu* m_menu;
  widgets::ModelLine* m_modelLine;
  widgets::ModelPanel* m_model;
  QDockWidget* m_modelDock;
  widgets::MapPanel* m_map;
  widgets::HeadsPanel* m_heads;
  widgets::PromptPanel* m_prompt;
  widgets::TokenStrip* m_strip;
  QLabel* m_status;
  QByteArray m_firstLayout;
  Workbench* m_workbench;
  widgets::CellReader* m_reader;
  Exports* m_exports;
  widgets::JobRunner m_jobs;  // last: its thread is joined first, while all that it may answer to is there
};

}  // namespace app
