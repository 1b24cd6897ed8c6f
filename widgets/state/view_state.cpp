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
  if (!inside(m_hovered, size.tokens)) m_hovered.reset();
  if (!inside(m_pinned, size.tokens)) m_pinned.reset();
  // The capture goes first: who follows head or cell may then read them against the new T.
  Q_EMIT captureChanged();
  if (m_head != oldHead) Q_EMIT headChanged();
  if (oldCells != std::pair(m_hovered, m_pinned)) Q_EMIT cellChanged();
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

void ViewState::setScale(Scale scale) {
  if (m_scale == scale) return;
  m_scale = scale;
  Q_EMIT colouringChanged();
}

void ViewState::setColormap(ColormapName colormap) {
  if (m_colormap == colormap) return;
  m_colormap = colormap;
  Q_EMIT colouringChanged();
}

void ViewState::setReduction(core::Reduction reduction) {
  if (m_reduction == reduction) return;
  m_reduction = reduction;
  Q_EMIT colouringChanged();
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
