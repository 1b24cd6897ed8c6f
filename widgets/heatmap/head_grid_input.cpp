// Mouse, keys and words of the grid of heads.
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "core/capture.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/state/head_words.h"

namespace widgets {

std::int64_t HeadGrid::rowsOf(core::HeadId head) const {
  return model().source(head)->extent(core::Stage::Weights).rows.size();
}

QString HeadGrid::toolTipOf(core::HeadId head) const {
  core::ModelConfig config;
  config.heads = model().heads;
  config.kvHeads = model().kvHeads;
  QString text = tr("Layer %1, head %2 (kv %3)")
                     .arg(head.layer.value)
                     .arg(head.head.value)
                     .arg(core::kvHeadOf(config, head.head).value);
  if (isPinned(head)) text += tr(", pinned");
  const core::BrokenRows& broken = m_thumbnails.of(head).broken;
  if (broken.count > 0) text += '\n' + brokenRowsHelp(broken, rowsOf(head));
  if (const core::HeadMetrics* metrics = model().metrics ? model().metrics(head) : nullptr)
    text += '\n' + metricLines(*metrics);
  return text;
}

/// For those who do not see frames and numbers: "layer 2, head 3, pinned, entropy 1.20 nats".
void HeadGrid::describe() {
  if (model().count() == 0) return setAccessibleDescription({});
  QString text = tr("layer %1, head %2").arg(m_selected.layer.value).arg(m_selected.head.value);
  if (isPinned(m_selected)) text += tr(", pinned");
  const bool isModels = m_selected.layer.value < model().layers && m_selected.head.value < model().heads;
  if (const auto* metrics = isModels && model().metrics ? model().metrics(m_selected) : nullptr) {
    const core::HeadMetric& metric = m_arrangement.metric ? *m_arrangement.metric : core::kHeadMetrics.front();
    text += ", " + metricName(metric) + ' ' + metricText(metric, *metrics);
  }
  if (m_arrangement.form == HeadArrangement::Form::InOrder) {
    if (const auto place = m_layout.placeOf(m_selected)) {
      text += tr(", %1 of %2").arg(*place + 1).arg(m_layout.count());
    } else {
      text += tr(", not among the %1 shown").arg(m_layout.count());
    }
  }
  if (isModels && m_thumbnails.of(m_selected).broken.count > 0)
    text += ": " + brokenRowsText(m_thumbnails.of(m_selected).broken, rowsOf(m_selected));
  setAccessibleDescription(text);
}

void HeadGrid::mousePressEvent(QMouseEvent* event) {
  const std::optional<std::size_t> place = m_layout.placeAt(event->pos() + scrolled());
  const bool isLeft = event->button() == Qt::LeftButton;
  if (!isLeft && event->button() != Qt::MiddleButton) return event->ignore();
  if (!place) return;
  const core::HeadId head = m_layout.head(*place);
  if (!isLeft || event->modifiers().testFlag(Qt::ControlModifier)) return Q_EMIT pinToggled(head);
  if (event->modifiers().testFlag(Qt::ShiftModifier)) return pinUpTo(head);
  Q_EMIT headSelected(head);
}

// The press was ours, so the release is no one else's.
void HeadGrid::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

/// From the selected head to this one, where both are in one row; else this one alone.
void HeadGrid::pinUpTo(core::HeadId head) {
  const std::size_t to = m_layout.placeOf(head).value();
  std::size_t from = m_layout.placeOf(m_selected).value_or(to);
  if (!m_layout.row(to).contains(from)) from = to;
  std::vector<core::HeadId> heads;
  for (std::size_t place = std::min(from, to); place <= std::max(from, to); ++place)
    heads.push_back(m_layout.head(place));
  Q_EMIT pinsAdded(heads);
}

QMenu* HeadGrid::makeMenu(core::HeadId head) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* pin = menu->addAction(isPinned(head) ? tr("Unpin Head %1").arg(headLabel(head))
                                                : tr("Pin Head %1").arg(headLabel(head)));
  connect(pin, &QAction::triggered, this, [this, head] { Q_EMIT pinToggled(head); });
  QAction* layer = menu->addAction(tr("Pin All Heads of Layer %1").arg(head.layer.value));
  connect(layer, &QAction::triggered, this, [this, head] { Q_EMIT pinsAdded(model().headsOf(head.layer)); });
  QAction* none = menu->addAction(tr("Unpin All Heads"));
  none->setEnabled(!m_pinned.empty());
  connect(none, &QAction::triggered, this, &HeadGrid::pinsCleared);
  return menu;
}

void HeadGrid::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() != QContextMenuEvent::Mouse) {
    const QRect place = m_layout.thumbnail(m_selected).translated(-scrolled());
    if (!place.isEmpty()) makeMenu(m_selected)->popup(viewport()->mapToGlobal(place.center()));
  } else if (const auto place = m_layout.placeAt(event->pos() + scrolled())) {
    makeMenu(m_layout.head(*place))->popup(event->globalPos());
  }
}

void HeadGrid::selectPlace(std::size_t place) {
  if (m_layout.head(place) != m_selected) Q_EMIT headSelected(m_layout.head(place));
}

/// Where a key leads to; nullopt: it is no key of the grid.
std::optional<std::size_t> HeadGrid::placeFor(const QKeyEvent& event) const {
  const std::size_t last = m_layout.count() - 1;
  const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
  const bool control = modifiers == Qt::ControlModifier;
  if (modifiers != Qt::NoModifier && !(control && (event.key() == Qt::Key_Home || event.key() == Qt::Key_End)))
    return std::nullopt;
  const std::optional<std::size_t> from = m_layout.placeOf(m_selected);
  const std::size_t place = from.value_or(0);
  const HeadGridLayout::Places row = control ? HeadGridLayout::Places{0, last + 1} : m_layout.row(place);
  const auto byPage = [&](auto step) {
    const int distance = contentsRect().height() - m_layout.thumbnail(place).height();
    std::size_t to = step(place);
    for (std::size_t next = step(to); next != to; next = step(to)) {
      if (std::abs(m_layout.thumbnail(next).top() - m_layout.thumbnail(place).top()) > distance) break;
      to = next;
    }
    return to;
  };
  const auto known = [&](std::size_t to) { return from ? to : event.key() == Qt::Key_End ? last : 0; };
  switch (event.key()) {
    case Qt::Key_Left: return known(std::max(place, row.begin + 1) - 1);
    case Qt::Key_Right: return known(std::min(place + 1, row.end - 1));
    case Qt::Key_Up: return known(m_layout.above(place));
    case Qt::Key_Down: return known(m_layout.below(place));
    case Qt::Key_Home: return known(row.begin);
    case Qt::Key_End: return known(row.end - 1);
    case Qt::Key_PageUp: return known(byPage([this](std::size_t at) { return m_layout.above(at); }));
    case Qt::Key_PageDown: return known(byPage([this](std::size_t at) { return m_layout.below(at); }));
    default: return std::nullopt;
  }
}

bool HeadGrid::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && m_layout.count() > 0 &&
      placeFor(*static_cast<QKeyEvent*>(event)).has_value())
    event->accept();
  return QAbstractScrollArea::event(event);
}

void HeadGrid::keyPressEvent(QKeyEvent* event) {
  if (m_layout.count() == 0) return QAbstractScrollArea::keyPressEvent(event);
  if (event->key() == Qt::Key_P && event->modifiers() == Qt::NoModifier) return Q_EMIT pinToggled(m_selected);
  const std::optional<std::size_t> place = placeFor(*event);
  if (!place) return QAbstractScrollArea::keyPressEvent(event);
  selectPlace(*place);
}

bool HeadGrid::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const std::optional<std::size_t> place = m_layout.placeAt(help->pos() + scrolled());
  if (place) {
    QToolTip::showText(help->globalPos(), toolTipOf(m_layout.head(*place)), viewport());
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace widgets
