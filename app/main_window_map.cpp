// The map, its menu and the small maps.
#include <numeric>
#include <vector>

#include <QFileInfo>
#include <QMenuBar>
#include <QStatusBar>

#include "app/exports.h"
#include "app/main_menu.h"
#include "app/main_window.h"
#include "core/saved_capture.h"
#include "widgets/heatmap/heads_panel.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_panel.h"
#include "widgets/heatmap/search_bar.h"
#include "widgets/panels/dialogs.h"
#include "widgets/panels/map_dialogs.h"

namespace app {

void MainWindow::connectMap() {
  const auto on = [this](QAction* action, auto slot) { connect(action, &QAction::triggered, this, slot); };
  widgets::HeatmapView& view = m_map->view();
  on(m_menu->zoomIn, [&view] { view.zoomIn(); });
  on(m_menu->zoomOut, [&view] { view.zoomOut(); });
  on(m_menu->fit, [&view] { view.fit(); });
  on(m_menu->oneToOne, [&view] { view.oneToOne(); });
  on(m_menu->focusMap, [&view] { view.setFocus(Qt::ShortcutFocusReason); });

  MapMenu& menu = *m_menu->map;
  on(menu.showPart, [this] { choosePart(); });
  on(menu.squareCells,
     [this](bool square) { m_map->setCellShape(square ? widgets::CellShape::Square : widgets::CellShape::Free); });
  on(menu.colorRange, [this] {
    widgets::askForColorRange(
        m_map->colorRange(), [this](std::optional<core::ValueRange> range) { m_state.setColorRange(range); }, this);
  });
  on(menu.hideFirst, [this] {
    if (!m_state.capture()) return;
    widgets::askForFirstKeys(
        static_cast<std::int64_t>(m_state.hiddenKeys().keys().size()), m_state.capture()->size(),
        [this](std::int64_t count) {
          std::vector<core::Position> keys(static_cast<std::size_t>(count));
          std::iota(keys.begin(), keys.end(), 0);
          m_state.setHiddenKeys(core::KeySet(std::move(keys)));
        },
        this);
  });
  on(menu.find, [this] { m_map->search().startTyping(); });
  on(menu.findNext, [this] { m_map->search().goOn(1); });
  on(menu.findPrevious, [this] { m_map->search().goOn(-1); });

  connectExports();
  connect(m_map, &widgets::MapPanel::readoutChanged, this, [this] { showStatus(); });
  connect(m_map, &widgets::MapPanel::legendChanged, this, [this] { showStatus(); });
  connect(m_map, &widgets::MapPanel::valuesChanged, this, [this] {
    m_heads->setColours(m_map->colorRange(), m_map->ranks());
    onBusy();
  });
  connect(m_map, &widgets::MapPanel::failed, this, &MainWindow::mapFailed);
  // The last frame may come after the last job.
  menuBar()->insertMenu(m_menu->runMenu->menuAction(), m_heads->menu());
  connect(m_heads, &widgets::HeadsPanel::painted, this, &MainWindow::settleLater);
  connect(m_map, &widgets::MapPanel::painted, this, &MainWindow::settleLater);
}

void MainWindow::connectExports() {
  m_exports = new Exports(*m_map, m_state, m_jobs, this);
  using Scope = Exports::Scope;
  const auto on = [this](QAction* action, auto slot) { connect(action, &QAction::triggered, m_exports, slot); };
  on(m_menu->exportFigure, [this] { m_exports->chooseFigure(); });
  on(m_menu->exportNumbers, [this] { m_exports->chooseNumbers(); });
  on(m_menu->exportHead, [this] { m_exports->chooseCapture(Scope::Head); });
  on(m_menu->exportLayer, [this] { m_exports->chooseCapture(Scope::Layer); });
  on(m_menu->exportCapture, [this] { m_exports->chooseCapture(Scope::Capture); });
  on(m_menu->copyFigure, [this] { m_exports->copyFigure(); });
  on(m_menu->copyValues, [this] { m_exports->copyValues(); });
  on(m_menu->copySnippet, [this] { m_exports->copySnippet(); });
  connect(m_exports, &Exports::snippetChanged, m_menu->copySnippet, &QAction::setEnabled);
  connect(m_exports, &Exports::said, this,
          [this](const QString& sentence) { statusBar()->showMessage(sentence, 8000); });
  connect(m_exports, &Exports::failed, this,
          [this](const QString& title, const core::Error& error) { widgets::showError(title, error, this); });
  on(m_menu->openCapture, [this] {
    chooseFile(tr("Open a saved capture"), QFileInfo(m_workbench->path()).path(), QFileDialog::ExistingFile,
               tr("Captures (%1);;All files (*)").arg(core::kSavedCapturePatterns),
               [this](const QString& path) { m_workbench->openCapture(path); });
  });
}

void MainWindow::choosePart() {
  if (m_map->maps().empty()) return;
  const widgets::HeatmapGeometry& geometry = m_map->view().geometry();
  widgets::askForPart(
      m_map->maps().front().map->extent(m_state.stage()),
      {geometry.rows().visibleCells(), geometry.columns().visibleCells()},
      [this](const core::MapRect& part) { m_map->view().showPart(part); }, this);
}

}  // namespace app
