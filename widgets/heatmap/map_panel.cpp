#include "widgets/heatmap/map_panel.h"

#include <QActionGroup>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <array>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/color_bar.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/heatmap/segmented_buttons.h"
#include "widgets/heatmap/token_axis.h"

namespace widgets {

MapPanel::MapPanel(ViewState& state, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_view(new HeatmapView(jobs, this)),
      m_keys(new TokenAxis(Qt::Horizontal, this)),
      m_queries(new TokenAxis(Qt::Vertical, this)),
      m_bar(new ColorBar(this)),
      m_title(new QLabel(this)),
      m_subtitle(new QLabel(this)),
      m_brokenRows(new QLabel(this)),
      m_shapes(new QLabel(this)),
      m_axisNames(new QLabel(this)),
      m_unit(new QLabel(this)),
      m_stages(new SegmentedButtons(this)),
      m_scales(new SegmentedButtons(this)),
      m_colours(new QToolButton(this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);

  auto* map = new QGridLayout;
  map->setSpacing(0);
  map->addWidget(m_axisNames, 0, 0);
  map->addWidget(m_keys, 0, 1);
  map->addWidget(m_queries, 1, 0);
  map->addWidget(m_view, 1, 1);
  map->setColumnMinimumWidth(2, 12);
  map->addWidget(m_unit, 0, 3, Qt::AlignRight | Qt::AlignBottom);
  map->addWidget(m_bar, 1, 3);
  map->setColumnStretch(1, 1);
  map->setRowStretch(1, 1);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 10, 12, 10);
  layout->setSpacing(8);
  layout->addWidget(makeHeader());
  layout->addLayout(map, 1);

  connectState();
  connectView();
  showCapture();
  showColouring();
}

QWidget* MapPanel::makeHeader() {
  QFont bold = font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_shapes->setToolTip(
      tr("The shapes on the way through one layer: input, q k v of all heads, one map a head, "
         "outputs of all heads, put side by side again. T tokens, C embedding, H heads, D = C / H."));
  m_shapes->setTextFormat(Qt::RichText);
  m_shapes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_shapes->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_axisNames->setAlignment(Qt::AlignRight | Qt::AlignBottom);
  m_axisNames->setMargin(4);
  m_unit->setMargin(4);

  for (const core::Stage stage : kStages)
    m_stages->addButton(static_cast<int>(stage), stageName(stage), stageHelp(stage));
  for (const Scale scale : kScales) m_scales->addButton(static_cast<int>(scale), scaleName(scale), scaleHelp(scale));
  m_stages->setAccessibleName(tr("Stage"));
  m_scales->setAccessibleName(tr("Scale"));
  m_colours->setPopupMode(QToolButton::InstantPopup);
  m_colours->setToolTip(tr("Colour map"));
  fillColourMenu();

  auto* header = new QWidget(this);
  auto* top = new QHBoxLayout;
  top->setSpacing(8);
  top->addWidget(m_title);
  top->addWidget(m_subtitle);
  top->addWidget(m_brokenRows);
  top->addStretch(1);
  top->addWidget(m_scales);
  top->addWidget(m_colours);
  auto* tools = new QHBoxLayout;
  tools->setSpacing(8);
  tools->addWidget(m_stages);
  tools->addWidget(m_shapes, 1);
  auto* rows = new QVBoxLayout(header);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(8);
  rows->addLayout(top);
  rows->addLayout(tools);
  return header;
}

void MapPanel::fillColourMenu() {
  auto* menu = new QMenu(m_colours);
  auto* maps = new QActionGroup(menu);
  for (const ColormapName name : kColormaps) {
    QAction* action = maps->addAction(colormapName(name));
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, name] { m_state.setColormap(name); });
    menu->addAction(action);
  }
  menu->addSection(tr("A pixel of several cells shows"));
  auto* reductions = new QActionGroup(menu);
  for (const core::Reduction reduction : {core::Reduction::Max, core::Reduction::Mean}) {
    QAction* action =
        reductions->addAction(reduction == core::Reduction::Max ? tr("their largest value") : tr("their mean"));
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, reduction] { m_state.setReduction(reduction); });
    menu->addAction(action);
  }
  connect(menu, &QMenu::aboutToShow, this, [this, maps, reductions] {
    maps->actions()[static_cast<int>(m_state.colormap())]->setChecked(true);
    reductions->actions()[static_cast<int>(m_state.reduction())]->setChecked(true);
  });
  m_colours->setMenu(menu);
}

void MapPanel::connectState() {
  connect(&m_state, &ViewState::captureChanged, this, &MapPanel::showCapture);
  connect(&m_state, &ViewState::headChanged, this, &MapPanel::showHead);
  connect(&m_state, &ViewState::stageChanged, this, &MapPanel::showStage);
  connect(&m_state, &ViewState::colouringChanged, this, &MapPanel::showColouring);
  connect(&m_state, &ViewState::cellChanged, this, &MapPanel::showCell);
  connect(m_stages, &SegmentedButtons::chosen, this,
          [this](int id) { m_state.setStage(static_cast<core::Stage>(id)); });
  connect(m_scales, &SegmentedButtons::chosen, this, [this](int id) { m_state.setScale(static_cast<Scale>(id)); });
}

void MapPanel::connectView() {
  connect(m_view, &HeatmapView::hovered, this, &MapPanel::onHovered);
  connect(m_view, &HeatmapView::pinRequested, this, &MapPanel::onPinRequested);
  connect(m_view, &HeatmapView::viewChanged, this, &MapPanel::showGeometry);
  connect(m_view, &HeatmapView::valuesChanged, this, &MapPanel::showValues);
  connect(m_view, &HeatmapView::layerStepped, this, [this](int step) {
    const core::HeadId head = m_state.head();
    m_state.setHead({core::Layer(head.layer.value + step), head.head});
  });
  connect(m_view, &HeatmapView::headStepped, this, [this](int step) {
    const core::HeadId head = m_state.head();
    m_state.setHead({head.layer, core::Head(head.head.value + step)});
  });
}

void MapPanel::showCapture() {
  QStringList labels;
  if (m_state.capture()) {
    for (const core::TokenText& token : m_state.capture()->tokens()) labels.append(QString::fromStdString(token.label));
  }
  m_queries->setLabels(labels);
  showHead();
  showStage();
}

void MapPanel::showHead() {
  const auto& capture = m_state.capture();
  const core::HeadId head = m_state.head();
  m_view->setSource(capture ? makeMapSource(core::AttentionMap(capture, head)) : nullptr);
  m_title->setText(capture ? tr("Layer %1, head %2").arg(head.layer.value).arg(head.head.value) : QString());
  m_subtitle->setText(capture ? tr("(kv %1)").arg(core::kvHeadOf(capture->model().config, head.head).value)
                              : QString());
  showBrokenRows();
  showCell();
}

void MapPanel::showBrokenRows() {
  const auto& capture = m_state.capture();
  const core::BrokenRows rows = capture ? capture->brokenRows(m_state.head()) : core::BrokenRows();
  m_brokenRows->setVisible(rows.count > 0);
  if (rows.count == 0) return;
  m_brokenRows->setText(brokenRowsText(rows, capture->size()));
  m_brokenRows->setToolTip(brokenRowsHelp(rows, capture->size()));
  QPalette colours = palette();
  colours.setColor(m_brokenRows->foregroundRole(), warningColor(colours));
  m_brokenRows->setPalette(colours);
}

void MapPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showBrokenRows();
}

void MapPanel::showStage() {
  const core::Stage stage = m_state.stage();
  const auto& capture = m_state.capture();
  m_columnCell.reset();
  m_stages->setCurrent(static_cast<int>(stage));
  m_view->setStage(stage);
  m_state.setColormap(isSigned(stage) ? m_signedColormap : m_weightsColormap);

  QStringList columns;
  if (capture && hasKeys(stage)) {
    for (const core::TokenText& token : capture->tokens()) columns.append(QString::fromStdString(token.label));
  } else if (capture) {
    const core::ModelConfig& config = capture->model().config;
    const int count = stage == core::Stage::Output ? config.headSize : config.headSize * config.heads;
    for (int i = 0; i < count; ++i) columns.append(QString::number(i));
  }
  m_keys->setLabels(columns);
  m_axisNames->setText(!capture ? QString() : hasKeys(stage) ? tr("key →\nquery ↓") : tr("dim →\nquery ↓"));
  m_axisNames->setToolTip(hasKeys(stage) ? tr("Columns are keys, rows are queries.")
                                         : tr("Columns are dimensions of the output, rows are queries."));
  m_unit->setText(ColorBar::unit(stage));
  m_keys->setAccessibleName(hasKeys(stage) ? tr("key (column)") : tr("dimension (column)"));
  m_queries->setAccessibleName(tr("query (row)"));
  m_shapes->setText(capture ? shapesLine(capture->model().config, capture->size(), stage) : QString());
  showCell();
  showValues();
}

void MapPanel::showColouring() {
  (isSigned(m_state.stage()) ? m_signedColormap : m_weightsColormap) = m_state.colormap();
  m_scales->setCurrent(static_cast<int>(m_state.scale()));
  m_colours->setText(colormapName(m_state.colormap()));
  m_view->setColouring(m_state.colormap(), m_state.scale(), m_state.reduction());
  showValues();
}

void MapPanel::showCell() {
  const bool keys = hasKeys(m_state.stage());
  const std::optional<Cell> hovered = keys ? m_state.hovered() : m_columnCell;
  m_view->setPinned(m_state.pinned());
  m_view->setHovered(hovered);
  const std::optional<Cell> cell = keys ? m_state.cell() : hovered;
  const std::optional<Cell> row = m_state.pinned() ? m_state.pinned() : hovered;
  m_keys->setHighlighted(cell ? std::optional(cell->key) : std::nullopt);
  m_queries->setHighlighted(row ? std::optional(row->query) : std::nullopt);
  Q_EMIT readoutChanged(readout());
}

void MapPanel::showGeometry() {
  m_keys->setMapping(m_view->geometry().columns());
  m_queries->setMapping(m_view->geometry().rows());
  Q_EMIT legendChanged(m_view->pixelLegend());
}

void MapPanel::showValues() {
  m_bar->setColours(m_state.colormap(), m_state.scale(), m_state.stage(), m_view->colorRange());
  Q_EMIT readoutChanged(readout());
}

void MapPanel::onHovered(std::optional<Cell> cell) {
  if (hasKeys(m_state.stage())) return m_state.setHovered(cell);
  m_columnCell = cell;
  // A column is a dimension here, but the row is a query all the same: the other panels follow it, at its own key.
  m_state.setHovered(cell ? std::optional(Cell{cell->query, cell->query}) : std::nullopt);
  showCell();
}

void MapPanel::onPinRequested(std::optional<Cell> cell) {
  // A dimension is no key that could be pinned; releasing works everywhere.
  if (hasKeys(m_state.stage()) || !cell) m_state.setPinned(cell);
}

QString MapPanel::readout() const {
  const core::Stage stage = m_state.stage();
  const std::optional<Cell> cell = hasKeys(stage) ? m_state.cell() : m_columnCell;
  if (!cell || !m_state.capture()) return {};
  const std::optional<float> value = m_view->valueAt(*cell);
  const QString place = hasKeys(stage) ? tr("query %1, key %2").arg(cell->query).arg(cell->key)
                                       : tr("query %1, dimension %2").arg(cell->query).arg(cell->key);
  if (!m_view->isVisible(*cell)) return tr("%1: masked").arg(place);
  if (!value) return place;
  return tr("%1: %2 %3").arg(place, valueName(stage), shortNumber(static_cast<double>(*value)));
}

}  // namespace widgets
