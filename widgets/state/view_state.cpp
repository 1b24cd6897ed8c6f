#include "widgets/state/view_state.h"

#include <algorithm>

namespace widgets {

namespace {

core::HeadId clamped(core::HeadId head, const CaptureSize& size) {
  return {core::Layer(std::clamp(head.layer.value, 0, std::max(0, size.layers - 1))),
          core::Head(std::clamp(head.head.value, 0, std::max(0, size.heads - 1)))};
}

bool inside(const std::optional<Cell>& cell, std::int64_t tokens) {
  return cell && 0 <= cell->query && cell->query < tokens && 0 <= cell->key && cell->key < tokens;
}

}  // namespace

ViewState::ViewState(QObject* parent) : QObject(parent) {}

void ViewState::setCapture(std::shared_ptr<const core::Capture> capture, const CaptureSize& size) {
  if (m_capture == capture) return;
  m_capture = std::move(capture);
  m_size = size;
  const core::HeadId oldHead = m_head;
  const auto oldCells = std::pair(m_hovered, m_pinned);
  if (m_capture) m_head = clamped(m_head, m_size);
  const std::vector<core::HeadId> oldPins = m_pinnedHeads;
  if (m_capture) std::erase_if(m_pinnedHeads, [this](core::HeadId head) { return clamped(head, m_size) != head; });
  // What a search found was in the tokens before.
  const bool hadMatches = !m_matches.empty();
  m_matches = {};
  if (!inside(m_hovered, size.tokens)) m_hovered.reset();
  if (!inside(m_pinned, size.tokens)) m_pinned.reset();
  // The capture goes first: who follows head or cell may then read them against the new T.
  Q_EMIT captureChanged();
  if (m_head != oldHead) Q_EMIT headChanged();
  if (oldCells != std::pair(m_hovered, m_pinned)) Q_EMIT cellChanged();
  if (m_pinnedHeads != oldPins) {
    Q_EMIT pinnedHeadsChanged();
    Q_EMIT mapsChanged();
  }
  if (hadMatches) Q_EMIT matchesChanged();
}

void ViewState::setHead(core::HeadId head) {
  if (m_capture) head = clamped(head, m_size);
  if (m_head == head) return;
  m_head = head;
  Q_EMIT headChanged();
}

void ViewState::setStage(core::Stage stage) {
  if (m_stage == stage) return;
  m_stage = stage;
  Q_EMIT stageChanged();
}

void ViewState::setColours(const ColourChoice& colours) {
  if (m_colours == colours) return;
  m_colours = colours;
  Q_EMIT colouringChanged();
}

void ViewState::setScale(Scale scale) {
  ColourChoice colours = m_colours;
  colours.scale = scale;
  setColours(colours);
}

void ViewState::setColormap(ColormapName colormap) {
  ColourChoice colours = m_colours;
  colours.colormap = colormap;
  setColours(colours);
}

void ViewState::setReduction(core::Reduction reduction) {
  ColourChoice colours = m_colours;
  colours.reduction = reduction;
  setColours(colours);
}

void ViewState::setColorRange(std::optional<core::ValueRange> range) {
  ColourChoice colours = m_colours;
  colours.range = range;
  setColours(colours);
}

bool ViewState::isPinned(core::HeadId head) const {
  return std::find(m_pinnedHeads.begin(), m_pinnedHeads.end(), head) != m_pinnedHeads.end();
}

void ViewState::setPinnedHeads(std::vector<core::HeadId> heads) {
  if (m_capture) std::erase_if(heads, [this](core::HeadId head) { return clamped(head, m_size) != head; });
  if (m_pinnedHeads == heads) return;
  m_pinnedHeads = std::move(heads);
  Q_EMIT pinnedHeadsChanged();
  Q_EMIT mapsChanged();
}

void ViewState::togglePinned(core::HeadId head) {
  std::vector<core::HeadId> heads = m_pinnedHeads;
  if (std::erase(heads, head) == 0) heads.push_back(head);
  setPinnedHeads(std::move(heads));
}

void ViewState::setShown(Shown shown) {
  if (m_shown == shown) return;
  m_shown = shown;
  Q_EMIT mapsChanged();
}

void ViewState::setDifference(const Difference& difference) {
  if (m_difference == difference) return;
  m_difference = difference;
  Q_EMIT mapsChanged();
}

void ViewState::keepCapture() {
  if (m_keptCapture == m_capture) return;
  m_keptCapture = m_capture;
  Q_EMIT mapsChanged();
}

void ViewState::forgetKeptCapture() {
  if (!m_keptCapture) return;
  m_keptCapture.reset();
  m_difference.ofKeptRun = false;
  Q_EMIT mapsChanged();
}

void ViewState::setHiddenKeys(const core::KeySet& keys) {
  if (m_hiddenKeys == keys) return;
  m_hiddenKeys = keys;
  Q_EMIT mapsChanged();
}

void ViewState::setUnit(Unit unit) {
  if (m_unit == unit) return;
  m_unit = unit;
  Q_EMIT mapsChanged();
}

void ViewState::setMatches(const core::KeySet& matches) {
  if (m_matches == matches) return;
  m_matches = matches;
  Q_EMIT matchesChanged();
}

void ViewState::setHovered(std::optional<Cell> cell) {
  if (!inside(cell, m_size.tokens)) cell.reset();
  if (m_hovered == cell) return;
  m_hovered = cell;
  Q_EMIT cellChanged();
}

void ViewState::setPinned(std::optional<Cell> cell) {
  if (!inside(cell, m_size.tokens)) cell.reset();
  if (m_pinned == cell) return;
  m_pinned = cell;
  Q_EMIT cellChanged();
}

}  // namespace widgets
