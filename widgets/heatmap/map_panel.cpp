#include "widgets/heatmap/map_panel.h"

#include <QActionGroup>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "core/attention_map.h"
#include "core/map_sums.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/color_bar.h"
#include "widgets/heatmap/comparison_bar.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/heatmap_view.h"
#include "widgets/heatmap/map_pane.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/heatmap/row_profile.h"
#include "widgets/heatmap/search_bar.h"
#include "widgets/heatmap/segmented_buttons.h"

namespace widgets {

namespace {

QString hiddenJob() { return QStringLiteral("map.hidden"); }
constexpr int kSmallestWidth = 440;  // of the header: below it, tools would be cut

QString variationJob() { return QStringLiteral("map.variation"); }

}  // namespace

MapPanel::MapPanel(ViewState& state, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_jobs(jobs),
      m_units(std::make_unique<MapUnits>(state)),
      m_row(new QHBoxLayout),
      m_bar(new ColorBar(this)),
      m_title(new QLabel(this)),
      m_subtitle(new QLabel(this)),
      m_brokenRows(new QLabel(this)),
      m_shapes(new QLabel(this)),
      m_unit(new QLabel(this)),
      m_note(new QLabel(this)),
      m_stages(new SegmentedButtons(this)),
      m_scales(new SegmentedButtons(this)),
      m_colours(new QToolButton(this)),
      m_search(new SearchBar(state, this)) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Base);

  auto* bar = new QVBoxLayout;
  bar->setSpacing(0);
  bar->addWidget(m_unit, 0, Qt::AlignRight);
  bar->addWidget(m_bar, 1);
  m_row->setSpacing(12);
  m_row->addLayout(bar);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 10, 12, 10);
  layout->setSpacing(8);
  layout->addWidget(makeHeader());
  layout->addWidget(new ComparisonBar(state, this));
  layout->addWidget(m_note);
  layout->addLayout(m_row, 1);
  layout->addWidget(m_shapes);
  m_note->setWordWrap(true);
  m_note->hide();

  addPane();
  connectState();
  showMaps();
  showStage();
  showColouring();
}

MapPanel::~MapPanel() = default;

HeatmapView& MapPanel::view() { return m_panes.front()->view(); }

QWidget* MapPanel::makeHeader() {
  QFont bold = font();
  bold.setBold(true);
  m_title->setFont(bold);
  m_shapes->setToolTip(
      tr("The shapes on the way through one layer: input, q k v of all heads, one map a head, "
         "outputs of all heads, put side by side again. T tokens, C embedding, H heads, D = C / H."));
  m_shapes->setTextFormat(Qt::RichText);
  m_shapes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
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
  m_title->setMinimumWidth(1);  // a long one is cut, and whole in its tool tip
  const auto inRow = [header](std::initializer_list<QWidget*> first, std::initializer_list<QWidget*> last) {
    auto* row = new QWidget(header);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    for (QWidget* widget : first) layout->addWidget(widget);
    layout->addStretch(1);
    for (QWidget* widget : last) layout->addWidget(widget);
    return row;
  };
  m_tools = new QBoxLayout(QBoxLayout::LeftToRight);
  m_tools->setSpacing(8);
  m_tools->addWidget(inRow({m_stages}, {m_colours}));
  m_tools->addWidget(inRow({new ComparisonButtons(m_state, this)}, {m_search}), 1);
  auto* rows = new QVBoxLayout(header);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(8);
  rows->addLayout(top);
  rows->addLayout(m_tools);
  header->setMinimumWidth(kSmallestWidth);
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
    maps->actions()[static_cast<int>(m_state.colours().colormap)]->setChecked(true);
    reductions->actions()[static_cast<int>(m_state.colours().reduction)]->setChecked(true);
  });
  m_colours->setMenu(menu);
}

void MapPanel::connectState() {
  connect(&m_state, &ViewState::captureChanged, this, [this] {
    if (m_state.capture() && !m_state.capture()->hasStage(m_state.stage())) m_state.setStage(core::Stage::Weights);
    showMaps();
    showStage();
  });
  connect(&m_state, &ViewState::headChanged, this, &MapPanel::showMaps);
  connect(&m_state, &ViewState::mapsChanged, this, [this] {
    showMaps();
    showStage();
  });
  connect(&m_state, &ViewState::stageChanged, this, [this] {
    // Words and differences are of a stage.
    if (m_state.unit() == Unit::Words || m_state.shown() == Shown::Difference) showMaps();
    showStage();
  });
  connect(&m_state, &ViewState::colouringChanged, this, &MapPanel::showColouring);
  connect(&m_state, &ViewState::cellChanged, this, &MapPanel::showCell);
  connect(&m_state, &ViewState::matchesChanged, this, &MapPanel::showMatches);
  connect(m_stages, &SegmentedButtons::chosen, this,
          [this](int id) { m_state.setStage(static_cast<core::Stage>(id)); });
  connect(m_scales, &SegmentedButtons::chosen, this, [this](int id) { m_state.setScale(static_cast<Scale>(id)); });
  connect(m_bar, &ColorBar::rangeChosen, &m_state, &ViewState::setColorRange);
  connect(m_search, &SearchBar::matchChosen, this, [this](core::PositionRange tokens) {
    view().reveal({m_units->ofToken(tokens.end - 1), m_units->ofToken(tokens.begin)});
  });
}

void MapPanel::addPane() {
  auto* pane = new MapPane(m_jobs, static_cast<int>(m_panes.size()), this);
  m_row->insertWidget(static_cast<int>(m_panes.size()), pane, 1);
  m_panes.push_back(pane);
  pane->view().setCellShape(m_cellShape);
  connectPane(*pane);
}

void MapPanel::setCellShape(CellShape shape) {
  m_cellShape = shape;
  for (MapPane* pane : m_panes) pane->view().setCellShape(shape);
}

void MapPanel::connectPane(MapPane& pane) {
  HeatmapView* const view = &pane.view();
  connect(view, &HeatmapView::hovered, this, &MapPanel::onHovered);
  connect(view, &HeatmapView::pinRequested, this, &MapPanel::onPinRequested);
  connect(view, &HeatmapView::viewChanged, this, [this, view] {
    for (std::size_t i = 0; i < m_shownPanes; ++i)
      if (&m_panes[i]->view() != view) m_panes[i]->view().showAs(*view);
    Q_EMIT legendChanged(this->view().pixelLegend());
  });
  connect(view, &HeatmapView::valuesChanged, this, [this] {
    showSharedRange();
    showValues();
  });
  connect(view, &HeatmapView::painted, this, &MapPanel::painted);
  connect(view, &HeatmapView::failed, this, &MapPanel::failed);
  connect(view, &HeatmapView::layerStepped, this, [this](int step) {
    const core::HeadId head = m_state.head();
    m_state.setHead({core::Layer(head.layer.value + step), head.head});
  });
  connect(view, &HeatmapView::headStepped, this, [this](int step) {
    const core::HeadId head = m_state.head();
    m_state.setHead({head.layer, core::Head(head.head.value + step)});
  });
}

void MapPanel::showMaps() {
  m_units = std::make_unique<MapUnits>(m_state);
  m_problem.clear();
  try {
    m_maps = shownMaps(m_state, *m_units);
  } catch (const core::Error& error) {
    m_maps.clear();
    m_problem = QString::fromUtf8(error.what());
  }
  m_shownPanes = std::clamp<std::size_t>(m_maps.size(), 1, kMostPanes);
  while (m_panes.size() < m_shownPanes) addPane();
  const bool several = m_shownPanes > 1;
  for (std::size_t i = 0; i < m_panes.size(); ++i) {
    const bool shown = i < m_shownPanes && i < m_maps.size();
    m_panes[i]->setVisible(i < m_shownPanes);
    m_panes[i]->setTitle(shown && several ? m_maps[i].title : QString(), shown ? m_maps[i].detail : QString());
    m_panes[i]->view().setStage(m_state.stage());
    m_panes[i]->view().setColours(m_state.colours());
    m_panes[i]->view().setSource(shown ? m_maps[i].map : nullptr);
    if (i > 0 && shown) m_panes[i]->view().showAs(view());
  }
  m_title->setText(m_maps.empty() ? QString()
                   : several      ? tr("%n heads", nullptr, static_cast<int>(m_maps.size()))
                                  : m_maps.front().title);
  m_title->setToolTip(m_title->text());
  m_subtitle->setText(m_maps.empty() || several || m_maps.front().detail.isEmpty()
                          ? QString()
                          : QStringLiteral("(%1)").arg(m_maps.front().detail));
  showBrokenRows();
  showLabels();
  showMatches();
  measureHidden();
  measureDifference();
  showCell();
  showSharedRange();
  showValues();
}

void MapPanel::showBrokenRows() {
  const auto& capture = m_state.capture();
  // Of a saved capture they are read from its file, which the worker does for the small maps.
  const bool isRun = capture && !capture->isSaved();
  const core::BrokenRows rows = isRun ? capture->brokenRows(m_state.head()) : core::BrokenRows();
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

/// Where there is no room for them beside the stages, the other tools have a line of their own.
void MapPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  int needed = m_tools->spacing();
  for (int i = 0; i < m_tools->count(); ++i) needed += m_tools->itemAt(i)->sizeHint().width();
  const QMargins margins = layout()->contentsMargins();
  const bool hasRoom = needed <= width() - margins.left() - margins.right();
  m_tools->setDirection(hasRoom ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void MapPanel::showLabels() {
  const core::Stage stage = m_state.stage();
  const auto& capture = m_state.capture();
  QStringList columns;
  if (capture && core::hasKeys(stage)) {
    columns = m_units->labels();
  } else if (capture) {
    const core::ModelConfig& config = capture->model().config;
    const int count = stage == core::Stage::Output ? config.headSize : config.headSize * config.heads;
    for (int i = 0; i < count; ++i) columns.append(QString::number(i));
  }
  for (std::size_t i = 0; i < m_shownPanes; ++i)
    m_panes[i]->setLabels(m_units->labels(), columns, core::hasKeys(stage));
}

void MapPanel::showStage() {
  const core::Stage stage = m_state.stage();
  const auto& capture = m_state.capture();
  m_columnCell.reset();
  m_stages->setCurrent(static_cast<int>(stage));
  for (std::size_t i = 0; i < m_shownPanes; ++i) m_panes[i]->view().setStage(stage);
  const bool isDifference = m_state.shown() == Shown::Difference;
  m_state.setColormap(isSigned(stage) || isDifference ? m_signedColormap : m_weightsColormap);
  showLabels();
  m_unit->setText(isDifference ? tr("Δ %1").arg(ColorBar::unit(stage)) : ColorBar::unit(stage));
  m_shapes->setText(capture ? shapesLine(capture->model().config, capture->size(), stage) : QString());
  showMatches();
  showCell();
  showValues();
}

void MapPanel::showColouring() {
  const bool isSignedMap = isSigned(m_state.stage()) || m_state.shown() == Shown::Difference;
  (isSignedMap ? m_signedColormap : m_weightsColormap) = m_state.colours().colormap;
  m_scales->setCurrent(static_cast<int>(m_state.colours().scale));
  m_colours->setText(colormapName(m_state.colours().colormap));
  for (std::size_t i = 0; i < m_shownPanes; ++i) m_panes[i]->view().setColours(m_state.colours());
  showValues();
}

/// One value has one colour in all panes: they share what all of their values span, and the ranks of the first.
void MapPanel::showSharedRange() {
  std::optional<core::ValueRange> all;
  for (std::size_t i = 0; i < m_shownPanes && m_shownPanes > 1; ++i) {
    const std::optional<core::ValueRange> own = m_panes[i]->view().ownRange();
    if (!own) {
      all.reset();
      break;
    }
    all = all ? core::ValueRange{std::min(all->low, own->low), std::max(all->high, own->high)} : *own;
  }
  for (std::size_t i = 0; i < m_shownPanes; ++i) m_panes[i]->view().setShared(all, i > 0 ? view().ranks() : nullptr);
}

std::optional<core::ValueRange> MapPanel::colorRange() const { return m_panes.front()->view().colorRange(); }

std::shared_ptr<const core::ValueRanks> MapPanel::ranks() const { return m_panes.front()->view().ranks(); }

bool MapPanel::isExact() const {
  return std::all_of(m_panes.begin(), m_panes.begin() + static_cast<std::ptrdiff_t>(m_shownPanes),
                     [](MapPane* pane) { return pane->view().isExact(); });
}

bool MapPanel::hasFailed() const {
  return !m_problem.isEmpty() ||
         std::any_of(m_panes.begin(), m_panes.begin() + static_cast<std::ptrdiff_t>(m_shownPanes),
                     [](MapPane* pane) { return pane->view().hasFailed(); });
}

void MapPanel::showCell() {
  const bool keys = core::hasKeys(m_state.stage());
  const auto inUnits = [this](const std::optional<Cell>& cell) {
    return cell ? std::optional(m_units->ofTokens(*cell)) : std::nullopt;
  };
  const std::optional<Cell> hovered = keys ? inUnits(m_state.hovered()) : m_columnCell;
  const std::optional<Cell> pinned = inUnits(m_state.pinned());
  const std::optional<Cell> cell = keys ? inUnits(m_state.cell()) : hovered;
  const std::optional<Cell> row = pinned ? pinned : hovered;
  for (std::size_t i = 0; i < m_shownPanes; ++i) {
    m_panes[i]->view().setPinned(pinned);
    m_panes[i]->view().setHovered(hovered);
    m_panes[i]->setHighlighted(row ? std::optional(row->query) : std::nullopt,
                               cell ? std::optional(cell->key) : std::nullopt);
  }
  Q_EMIT readoutChanged(readout());
}

void MapPanel::showMatches() {
  const core::KeySet marked = m_units->ofTokens(m_state.matches());
  for (std::size_t i = 0; i < m_shownPanes; ++i)
    m_panes[i]->setMarked(marked, core::hasKeys(m_state.stage()) ? marked : core::KeySet());
}

void MapPanel::showValues() {
  m_bar->setColours(m_state.colours(), m_state.stage(), colorRange(), ranks());
  const QString sentence = !m_problem.isEmpty() ? m_problem
                           : m_maps.size() > kMostPanes
                               ? tr("%1 heads are pinned; the first %2 are shown.").arg(m_maps.size()).arg(kMostPanes)
                               : hiddenSentence();
  m_note->setText(sentence);
  m_note->setVisible(!sentence.isEmpty());
  Q_EMIT readoutChanged(readout());
  Q_EMIT valuesChanged();
}

QString MapPanel::hiddenSentence() const {
  const core::KeySet& hidden = m_state.hiddenKeys();
  if (hidden.empty() || !m_hiddenMass || !core::hasKeys(m_state.stage())) return {};
  const std::size_t count = hidden.keys().size();
  const QString share = QString::number(100 * *m_hiddenMass, 'f', 1);
  if (count == 1)
    return tr("Key %1 is hidden: it holds %2 % of this map's attention.").arg(hidden.keys().front()).arg(share);
  const QString text = QString::fromStdString(hidden.text());
  return text.size() <= 40 ? tr("Keys %1 are hidden: they hold %2 % of this map's attention.").arg(text, share)
                           : tr("%1 keys are hidden: they hold %2 % of this map's attention.").arg(count).arg(share);
}

void MapPanel::measureHidden() {
  m_hiddenMass.reset();
  m_jobs.cancel(hiddenJob());
  if (m_maps.empty() || m_state.hiddenKeys().empty() || m_state.shown() == Shown::Difference) return;
  m_jobs.submit<double>(
      hiddenJob(), JobPriority::View,
      [map = m_maps.front().map](const core::Progress& progress) { return core::hiddenMass(*map, progress); },
      [this](double mass) {
        m_hiddenMass = mass;
        showValues();
      },
      [](const core::Error&) {});
}

void MapPanel::measureDifference() {
  RowProfile& profile = m_panes.front()->profile();
  const bool wanted = !m_maps.empty() && m_state.shown() == Shown::Difference &&
                      m_state.stage() == core::Stage::Weights && !m_state.difference().stage;
  profile.setVisible(wanted);
  profile.setValues({});
  m_jobs.cancel(variationJob());
  if (!wanted) return;
  m_jobs.submit<std::vector<float>>(
      variationJob(), JobPriority::View,
      [map = m_maps.front().map](const core::Progress& progress) { return core::totalVariation(*map, progress); },
      [this](std::vector<float> values) {
        m_panes.front()->profile().setValues(std::move(values));
        Q_EMIT readoutChanged(readout());
      },
      [](const core::Error&) {});
}

void MapPanel::onHovered(std::optional<Cell> cell) {
  if (core::hasKeys(m_state.stage())) {
    m_state.setHovered(cell ? std::optional(m_units->toTokens(*cell)) : std::nullopt);
    return;
  }
  m_columnCell = cell;
  // A column is a dimension here, but the row is a query all the same: the other panels follow it, at its own key.
  m_state.setHovered(cell ? std::optional(Cell{cell->query, cell->query}) : std::nullopt);
  showCell();
}

void MapPanel::onPinRequested(std::optional<Cell> cell) {
  // A dimension is no key that could be pinned; releasing works everywhere.
  if (core::hasKeys(m_state.stage()) || !cell)
    m_state.setPinned(cell ? std::optional(m_units->toTokens(*cell)) : std::nullopt);
}

QString MapPanel::readout() const {
  const core::Stage stage = m_state.stage();
  std::optional<Cell> cell = m_columnCell;
  if (core::hasKeys(stage)) cell = m_state.cell() ? std::optional(m_units->ofTokens(*m_state.cell())) : std::nullopt;
  if (!cell || m_maps.empty()) return {};
  const HeatmapView& view = m_panes.front()->view();
  const QString place = !core::hasKeys(stage) ? tr("query %1, dimension %2").arg(cell->query).arg(cell->key)
                        : m_units->areWords() ? tr("query word %1, key word %2").arg(cell->query).arg(cell->key)
                                              : tr("query %1, key %2").arg(cell->query).arg(cell->key);
  if (!view.isVisible(*cell)) return tr("%1: masked").arg(place);
  QStringList values;
  for (std::size_t i = 0; i < m_shownPanes && i < m_maps.size(); ++i) {
    const std::optional<float> value = m_panes[i]->view().valueAt(*cell);
    values << (value ? shortNumber(static_cast<double>(*value)) : QStringLiteral("…"));
  }
  if (values.size() == 1 && values.front() == QStringLiteral("…")) return place;
  const bool isDifference = m_state.shown() == Shown::Difference;
  QString text = tr("%1: %2 %3").arg(place, isDifference ? tr("difference") : valueName(stage), values.join(" | "));
  if (view.isHidden(*cell)) text += tr(" (hidden)");
  if (const auto variation = m_panes.front()->profile().valueOf(cell->query); isDifference && variation)
    text += tr(", total variation of the row %1").arg(shortNumber(static_cast<double>(*variation)));
  return text;
}

}  // namespace widgets
