#include "widgets/heatmap/heads_panel.h"

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "core/attention_map.h"
#include "core/window_pattern.h"
#include "widgets/heatmap/head_grid.h"

namespace widgets {

namespace {

constexpr int kArrangeDelay = 100;  // ms

/// The letters of the layers' windows, or none where all are alike.
std::string lettersOf(const core::Capture& capture) {
  std::string letters;
  for (const core::Window window : capture.facts().settings.windows)
    letters += core::letterOf(window, capture.model().config.windowRule);
  const bool areAlike = std::all_of(letters.begin(), letters.end(), [&](char c) { return c == letters.front(); });
  return areAlike ? std::string() : letters;
}

}  // namespace

HeadsPanel::HeadsPanel(ViewState& state, JobRunner& jobs, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_reader(jobs, QStringLiteral("heads.numbers")),
      m_grid(new HeadGrid(jobs, this)),
      m_menu(new QMenu(tr("&Heads"), this)),
      m_orderButton(new QToolButton(this)),
      m_directionButton(new QToolButton(this)),
      m_layerButton(new QToolButton(this)),
      m_filterEdit(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_problem(new QLabel(this)) {
  m_arrangeLater.setSingleShot(true);
  m_arrangeLater.setInterval(kArrangeDelay);
  buildMenus();
  buildBar();
  connectState();
  showCapture();
  showColouring();
}

void HeadsPanel::connectState() {
  connect(&m_state, &ViewState::captureChanged, this, &HeadsPanel::showCapture);
  connect(&m_state, &ViewState::mapsChanged, this, [this] {
    if (m_state.hiddenKeys() != m_hidden) showMaps();
  });
  connect(&m_state, &ViewState::headChanged, this, [this] {
    // With one layer alone the selected head would go out of sight.
    if (m_layer && *m_layer != m_state.head().layer) showLayer(m_state.head().layer);
    m_grid->setSelected(m_state.head());
  });
  connect(&m_state, &ViewState::pinnedHeadsChanged, this, [this] { m_grid->setPinned(m_state.pinnedHeads()); });
  connect(&m_state, &ViewState::colouringChanged, this, &HeadsPanel::showColouring);

  connect(m_grid, &HeadGrid::headSelected, &m_state, &ViewState::setHead);
  connect(m_grid, &HeadGrid::pinToggled, &m_state, &ViewState::togglePinned);
  connect(m_grid, &HeadGrid::pinsAdded, this, &HeadsPanel::pin);
  connect(m_grid, &HeadGrid::pinsCleared, &m_state, [this] { m_state.setPinnedHeads({}); });
  connect(m_grid, &HeadGrid::thumbnailsCompleted, this, &HeadsPanel::startMetrics);
  connect(m_grid, &HeadGrid::painted, this, &HeadsPanel::painted);
  connect(&m_reader, &HeadMetricsReader::metricsReady, this, [this](core::HeadId head) {
    m_grid->showMetrics(head);
    if (m_reader.isComplete()) {
      m_arrangeLater.stop();
      arrange();
    } else if (needsMetrics() && !m_arrangeLater.isActive()) {
      m_arrangeLater.start();
    }
  });
  connect(&m_arrangeLater, &QTimer::timeout, this, &HeadsPanel::arrange);
}

void HeadsPanel::showCapture() {
  m_reader.stop();
  m_metricsAsked = false;
  const auto& capture = m_state.capture();
  const int layers = capture ? capture->model().config.layers : 0;
  if (m_layer && m_layer->value >= layers) m_layer.reset();
  if (m_layer) m_layer = m_state.head().layer;
  fillLayers(layers);
  showMaps();
  m_grid->setSelected(m_state.head());
  m_grid->setPinned(m_state.pinnedHeads());
}

/// Hidden keys are in the small maps, not in the numbers: those stay.
void HeadsPanel::showMaps() {
  const auto& capture = m_state.capture();
  m_hidden = m_state.hiddenKeys();
  HeadGridModel model;
  if (capture) {
    const core::ModelConfig& config = capture->model().config;
    model.layers = config.layers;
    model.heads = config.heads;
    model.kvHeads = config.kvHeads;
    model.letters = lettersOf(*capture);
    model.source = [capture, hidden = m_hidden](core::HeadId head) {
      return std::make_shared<core::AttentionMap>(capture, head, hidden);
    };
    model.metrics = [this](core::HeadId head) { return m_reader.metrics(head); };
  }
  m_grid->setModel(std::move(model));
  arrange();
}

void HeadsPanel::startMetrics() {
  const auto& capture = m_state.capture();
  if (m_metricsAsked || !capture || capture->size() == 0) return;
  m_metricsAsked = true;
  m_reader.start(m_grid->model().allHeads(),
                 [capture](core::HeadId head) { return std::make_shared<core::AttentionMap>(capture, head); });
}

void HeadsPanel::setColours(std::optional<core::ValueRange> range, std::shared_ptr<const core::ValueRanks> ranks) {
  m_range = range;
  m_ranks = std::move(ranks);
  showColouring();
}

void HeadsPanel::showColouring() {
  const bool areWeights = m_state.stage() == core::Stage::Weights && m_state.shown() != Shown::Difference;
  if (!areWeights || m_state.colours().colormap == ColormapName::Diverging) return;
  m_grid->setColours(m_state.colours(), m_range, m_ranks);
}

void HeadsPanel::orderBy(const core::HeadMetric* metric) {
  const bool again = metric && metric == m_order;
  m_direction = again && m_direction == HeadOrder::LargestFirst ? HeadOrder::SmallestFirst : HeadOrder::LargestFirst;
  m_order = metric;
  arrange();
  m_grid->revealSelected();
}

void HeadsPanel::showLayer(std::optional<core::Layer> layer) {
  m_layer = layer;
  arrange();
  m_grid->revealSelected();
}

void HeadsPanel::setFilter(const QString& text) {
  if (m_filterEdit->text() != text) return m_filterEdit->setText(text);  // comes here again
  FilterText meaning = parseHeadFilter(text);
  m_filter = std::move(meaning.filter);
  m_problem->setText(meaning.problem);
  m_problem->setVisible(!meaning.problem.isEmpty());
  arrange();
}

void HeadsPanel::arrange() {
  if (needsMetrics()) startMetrics();
  const auto metricsOf = [this](core::HeadId head) { return m_reader.metrics(head); };
  HeadArrangement arrangement;
  arrangement.heads = m_grid->model().allHeads();
  std::erase_if(arrangement.heads, [&](core::HeadId head) {
    if (m_layer && head.layer != *m_layer) return true;
    const core::HeadMetrics* metrics = m_filter.isEmpty() ? nullptr : metricsOf(head);
    return !m_filter.isEmpty() && (!metrics || !m_filter.passes(*metrics));
  });
  if (m_order) sortHeads(arrangement.heads, *m_order, m_direction, metricsOf);
  if (needsMetrics()) arrangement.form = HeadArrangement::Form::InOrder;
  if (needsMetrics()) arrangement.metric = m_order ? m_order : m_filter.conditions.front().metric;
  m_grid->setEmptyText(m_filter.isEmpty() ? QString() : tr("No head passes the filter."));
  m_grid->arrange(std::move(arrangement));
  showChoices();
}

void HeadsPanel::pin(const std::vector<core::HeadId>& heads) {
  std::vector<core::HeadId> pinned = m_state.pinnedHeads();
  for (const core::HeadId head : heads)
    if (!m_state.isPinned(head)) pinned.push_back(head);
  m_state.setPinnedHeads(std::move(pinned));
}

QString HeadsPanel::countText() const {
  const std::size_t all = m_grid->model().count();
  const std::size_t shown = m_grid->places().count();
  QString text = shown == all ? tr("%1 heads").arg(all) : tr("%1 of %2 heads").arg(shown).arg(all);
  if (all == 1) text = tr("1 head");
  if (needsMetrics() && !m_reader.isComplete()) text += tr(", measuring");
  return text;
}

QString HeadsPanel::problem() const { return m_problem->text(); }

bool HeadsPanel::isComplete() const {
  const bool hasNumbers = m_metricsAsked ? m_reader.isComplete() : m_grid->model().count() == 0;
  return m_grid->isComplete() && hasNumbers && !m_arrangeLater.isActive();
}

}  // namespace widgets
