#include "widgets/heatmap/comparison_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <algorithm>

#include "core/capture.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/heatmap/segmented_buttons.h"

namespace widgets {

ComparisonButtons::ComparisonButtons(ViewState& state, QWidget* parent)
    : QWidget(parent), m_buttons(new SegmentedButtons(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_buttons);
  m_buttons->setAccessibleName(tr("What is shown"));
  m_buttons->addButton(static_cast<int>(Shown::Heads), tr("heads"),
                       tr("The selected head, and those that are pinned, side by side"));
  m_buttons->addButton(static_cast<int>(Shown::Mean), tr("mean"),
                       tr("One map: the arithmetic mean of the selected head and the pinned ones"));
  m_buttons->addButton(static_cast<int>(Shown::Difference), tr("difference"),
                       tr("The selected head less another head, layer, stage or run"));
  connect(m_buttons, &SegmentedButtons::chosen, &state, [&state](int id) { state.setShown(static_cast<Shown>(id)); });
  const auto follow = [this, &state] { m_buttons->setCurrent(static_cast<int>(state.shown())); };
  connect(&state, &ViewState::mapsChanged, this, follow);
  follow();
}

ComparisonBar::ComparisonBar(ViewState& state, QWidget* parent)
    : QWidget(parent),
      m_state(state),
      m_sentence(new QLabel(this)),
      m_sides(new QWidget(this)),
      m_first(new QComboBox(m_sides)),
      m_run(new QComboBox(m_sides)),
      m_layer(new QComboBox(m_sides)),
      m_head(new QComboBox(m_sides)),
      m_stage(new QComboBox(m_sides)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  setMinimumWidth(1);  // the window may be narrower than its lists
  layout->addWidget(m_sides);
  layout->addWidget(m_sentence);
  layout->addStretch(1);
  auto* sides = new QHBoxLayout(m_sides);
  sides->setContentsMargins(0, 0, 0, 0);
  sides->setSpacing(6);
  sides->addWidget(m_first);
  sides->addWidget(new QLabel(QStringLiteral("−"), m_sides));
  const std::pair<QComboBox*, QString> seconds[] = {
      {m_run, tr("Run")}, {m_layer, tr("Layer")}, {m_head, tr("Head")}, {m_stage, tr("Stage")}};
  m_first->setAccessibleName(tr("First side of the difference"));
  for (const auto& [box, name] : seconds) {
    sides->addWidget(box);
    box->setAccessibleName(tr("%1 of the second side of the difference").arg(name));
  }
  for (QComboBox* box : {m_first, m_run, m_layer, m_head, m_stage}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(box, &QComboBox::activated, this, [this] { choose(); });
  }
  connect(&state, &ViewState::mapsChanged, this, [this] { showState(); });
  connect(&state, &ViewState::captureChanged, this, [this] { showState(); });
  connect(&state, &ViewState::headChanged, this, [this] { showState(); });
  showState();
}

void ComparisonBar::fillChoices() {
  const auto& capture = m_state.capture();
  const Difference& difference = m_state.difference();
  const auto& other = difference.ofKeptRun && m_state.keptCapture() ? m_state.keptCapture() : capture;
  for (QComboBox* box : {m_first, m_run, m_layer, m_head, m_stage}) box->clear();
  if (!capture) return;
  m_first->addItems({tr("selected head"), tr("mean of layer %1").arg(m_state.head().layer.value)});
  m_first->setCurrentIndex(difference.firstIsMean ? 1 : 0);
  m_run->addItem(tr("this run"));
  if (m_state.keptCapture()) m_run->addItem(tr("kept run"));
  m_run->setToolTip(m_state.keptCapture() ? QString()
                                          : tr("Run > Keep This Run keeps a run to compare later ones with."));
  m_run->setCurrentIndex(difference.ofKeptRun && m_state.keptCapture() ? 1 : 0);
  const core::ModelConfig& config = other->model().config;
  for (int l = 0; l < config.layers; ++l) m_layer->addItem(tr("layer %1").arg(l));
  m_layer->setCurrentIndex(std::min(difference.layer.value, config.layers - 1));
  for (int h = 0; h < config.heads; ++h) m_head->addItem(tr("head %1").arg(h));
  m_head->addItem(tr("mean of its heads"));
  m_head->setCurrentIndex(difference.head ? std::min(difference.head->value, config.heads - 1) : config.heads);
  m_stage->addItem(tr("same stage"));
  for (const core::Stage stage : kStages) m_stage->addItem(stageName(stage), static_cast<int>(stage));
  m_stage->setCurrentIndex(difference.stage ? static_cast<int>(*difference.stage) + 1 : 0);
}

void ComparisonBar::showState() {
  setVisible(m_state.capture() && m_state.shown() != Shown::Heads);
  const bool isDifference = m_state.shown() == Shown::Difference;
  m_sides->setVisible(isDifference);
  m_sentence->setVisible(!isDifference);
  m_sentence->setText(m_state.pinnedHeads().empty()
                          ? tr("Pin more heads (P, or Ctrl+click on a small map) to see their mean.")
                          : tr("Arithmetic mean, cell by cell."));
  m_isFilling = true;
  fillChoices();
  m_isFilling = false;
}

void ComparisonBar::choose() {
  if (m_isFilling) return;
  Difference difference;
  difference.firstIsMean = m_first->currentIndex() == 1;
  difference.ofKeptRun = m_run->currentIndex() == 1;
  difference.layer = core::Layer(std::max(0, m_layer->currentIndex()));
  const bool isMean = m_head->currentIndex() == m_head->count() - 1;
  difference.head = isMean ? std::nullopt : std::optional(core::Head(std::max(0, m_head->currentIndex())));
  if (m_stage->currentIndex() > 0) difference.stage = static_cast<core::Stage>(m_stage->currentData().toInt());
  m_state.setDifference(difference);
}

}  // namespace widgets
