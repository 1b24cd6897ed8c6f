// Mouse and keys of the map.
#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/heatmap_view.h"

namespace widgets {

namespace {
constexpr double kWheelStep = 1.25;  // a notch of the wheel
}

std::optional<Cell> HeatmapView::cellUnder(const QPointF& position) const {
  const double ratio = devicePixelRatioF();
  const std::optional<std::int64_t> row = m_geometry.rows().cellUnder(position.y() * ratio);
  const std::optional<std::int64_t> column = m_geometry.columns().cellUnder(position.x() * ratio);
  if (!row || !column) return std::nullopt;
  return Cell{*row, *column};
}

void HeatmapView::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  if (notches == 0) return event->ignore();
  const QPointF at = event->position() * devicePixelRatioF();
  m_geometry.zoomAt(at.x(), at.y(), std::pow(kWheelStep, notches));
  geometryChanged();
  Q_EMIT hovered(cellUnder(event->position()));
  event->accept();
}

void HeatmapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  m_pressed = event->position();
  m_dragged = m_pressed;
  if (m_inset.place().contains(m_pressed.toPoint())) {
    m_drag = Drag::Inset;
    return moveToInset(m_pressed);
  }
  m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Box : Drag::Undecided;
}

void HeatmapView::mouseMoveEvent(QMouseEvent* event) {
  const QPointF position = event->position();
  if (m_drag == Drag::Undecided && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
    m_drag = Drag::Pan;
    setCursor(Qt::ClosedHandCursor);
  }
  if (m_drag == Drag::Pan) {
    const QPointF moved = (position - m_dragged) * devicePixelRatioF();
    m_geometry.panBy(moved.x(), moved.y());
    m_dragged = position;
    geometryChanged();
  } else if (m_drag == Drag::Inset) {
    moveToInset(position);
  } else if (m_drag == Drag::Box) {
    m_dragged = position;
    update();
  } else {
    Q_EMIT hovered(m_inset.place().contains(position.toPoint()) ? std::nullopt : cellUnder(position));
  }
}

void HeatmapView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  const Drag drag = std::exchange(m_drag, Drag::None);
  const QPointF position = event->position();
  setCursor(Qt::CrossCursor);
  if (drag == Drag::Box && (position - m_pressed).manhattanLength() >= QApplication::startDragDistance()) {
    const double ratio = devicePixelRatioF();
    m_geometry.boxZoom(m_pressed.x() * ratio, m_pressed.y() * ratio, position.x() * ratio, position.y() * ratio);
    geometryChanged();
  } else if (drag == Drag::Undecided) {
    m_pinBeforeClick = m_pinned;
    const std::optional<Cell> cell = cellUnder(position);
    Q_EMIT pinRequested(cell == m_pinned ? std::nullopt : cell);
  }
  update();
}

void HeatmapView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  // The first click of the two has pinned or released; a double click means neither.
  Q_EMIT pinRequested(m_pinBeforeClick);
  fit();
}

void HeatmapView::moveToInset(const QPointF& position) {
  const auto [row, column] = m_inset.cellAt(position);
  m_geometry.centreOn(row, column);
  geometryChanged();
}

void HeatmapView::leaveEvent(QEvent*) { Q_EMIT hovered(std::nullopt); }

void HeatmapView::moveCell(int down, int right) {
  const std::int64_t rows = m_geometry.rows().cells;
  const std::int64_t columns = m_geometry.columns().cells;
  if (rows == 0 || columns == 0) return;
  const bool movesPin = m_pinned && hasKeys(m_stage);
  const std::optional<Cell> from = movesPin ? m_pinned : m_hovered;
  Cell to{m_geometry.rows().visibleCells().begin, m_geometry.columns().visibleCells().begin};
  if (from)
    to = {std::clamp(from->query + down, std::int64_t{0}, rows - 1),
          std::clamp(from->key + right, std::int64_t{0}, columns - 1)};
  m_geometry.reveal(to.query, to.key);
  geometryChanged();
  if (movesPin) {
    Q_EMIT pinRequested(to);
  } else {
    Q_EMIT hovered(to);
  }
}

void HeatmapView::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left: return moveCell(0, -1);
    case Qt::Key_Right: return moveCell(0, 1);
    case Qt::Key_Up: return moveCell(-1, 0);
    case Qt::Key_Down: return moveCell(1, 0);
    case Qt::Key_Home: return fit();
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomIn();
    case Qt::Key_Minus: return zoomOut();
    case Qt::Key_BracketLeft: Q_EMIT layerStepped(-1); return;
    case Qt::Key_BracketRight: Q_EMIT layerStepped(1); return;
    case Qt::Key_PageUp: Q_EMIT headStepped(-1); return;
    case Qt::Key_PageDown: Q_EMIT headStepped(1); return;
    case Qt::Key_1:
      if (event->modifiers() & Qt::ControlModifier) return oneToOne();
      break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (event->modifiers() == Qt::NoModifier && (m_hovered || m_pinned)) {
        Q_EMIT pinRequested(m_pinned ? std::nullopt : m_hovered);
        return;
      }
      break;
    case Qt::Key_Escape:
      if (m_drag == Drag::Box || m_pinned) {
        if (std::exchange(m_drag, Drag::None) != Drag::Box) Q_EMIT pinRequested(std::nullopt);
        update();
        return;
      }
      break;
    default: break;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace widgets
