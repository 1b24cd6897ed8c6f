#include "app/shown_figure.h"

#include <QCoreApplication>
#include <QPalette>
#include <algorithm>

#include "core/attention_map.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_pane.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/heatmap/row_profile.h"

namespace app {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

core::MapRect shownPart(widgets::MapPanel& panel) {
  const widgets::HeatmapGeometry& geometry = panel.view().geometry();
  return {geometry.rows().visibleCells(), geometry.columns().visibleCells()};
}

/// Of the whole map; empty where columns are plain numbers.
QStringList columnLabels(const widgets::MapPanel& panel, const widgets::ViewState& state) {
  return core::hasKeys(state.stage()) ? panel.units().labels() : QStringList();
}

QString titleOf(const widgets::MapPanel& panel) {
  const std::vector<widgets::ShownMap>& maps = panel.maps();
  if (maps.size() > 1) return tr(QT_TRANSLATE_NOOP("Figure", "%1 heads")).arg(maps.size());
  return maps.front().detail.isEmpty() ? maps.front().title
                                       : QStringLiteral("%1 (%2)").arg(maps.front().title, maps.front().detail);
}

std::string promptOf(const core::Capture& capture) {
  std::string prompt;
  for (const core::TokenText& token : capture.tokens()) prompt += token.bytes;
  return prompt;
}

std::vector<std::string> toStd(const QStringList& all, const core::PositionRange& part) {
  std::vector<std::string> labels;
  for (core::Position i = part.begin; i < part.end && i < all.size(); ++i) labels.push_back(all[i].toStdString());
  return labels;
}

}  // namespace

widgets::Figure shownFigure(widgets::MapPanel& panel, const widgets::ViewState& state) {
  const core::Capture& capture = *state.capture();
  widgets::Figure figure;
  std::vector<core::Layer> layers;
  for (std::size_t i = 0; i < panel.paneCount() && i < panel.maps().size(); ++i) {
    const widgets::ShownMap& shown = panel.maps()[i];
    widgets::FigureMap map{shown.title, shown.map};
    if (state.shown() == widgets::Shown::Difference) map.rowProfile = panel.pane(i).profile().values();
    figure.maps.push_back(std::move(map));
    if (std::find(layers.begin(), layers.end(), shown.head.layer) == layers.end()) layers.push_back(shown.head.layer);
  }
  figure.stage = state.stage();
  figure.colours = state.colours();
  figure.span = panel.colorRange();
  figure.ranks = panel.ranks();
  if (!panel.view().geometry().isFitted()) figure.part = shownPart(panel);
  figure.rowLabels = panel.units().labels();
  figure.columnLabels = columnLabels(panel, state);
  figure.title = titleOf(panel);
  figure.settings = widgets::runSettings(capture, layers);
  if (const QString hidden = panel.hiddenSentence(); !hidden.isEmpty()) figure.settings << hidden;
  figure.software = "Headscope " HEADSCOPE_VERSION;
  figure.model = QString::fromStdString(capture.model().name);
  figure.prompt = QString::fromStdString(promptOf(capture));
  return figure;
}

core::MapExport shownNumbers(widgets::MapPanel& panel, const widgets::ViewState& state) {
  const core::MapRect part = shownPart(panel);
  core::MapExport numbers;
  numbers.stage = state.stage();
  numbers.rect = part;
  numbers.labels.rows = toStd(panel.units().labels(), part.rows);
  numbers.labels.columns = toStd(columnLabels(panel, state), part.columns);
  numbers.lines = {{"title", titleOf(panel).toStdString()},
                   {"stage", widgets::stageName(state.stage()).toStdString()},
                   {"model", state.capture()->model().name},
                   {"prompt", promptOf(*state.capture())}};
  return numbers;
}

}  // namespace app
