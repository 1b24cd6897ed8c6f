#include "widgets/panels/token_strip.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/panels/look.h"

namespace widgets {

namespace {

constexpr int kPadding = 2;  // left and right of a label
constexpr int kGap = 1;
constexpr int kMargin = 10;
constexpr int kLongestLabel = 24;  // characters; the tool tip has the whole token

}  // namespace

TokenStrip::TokenStrip(ViewState& state, CellReader& reader, QWidget* parent)
    : QAbstractScrollArea(parent), m_state(state), m_reader(reader) {
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  viewport()->setAutoFillBackground(false);
  viewport()->setMouseTracking(true);
  setFocusPolicy(Qt::NoFocus);
  setAccessibleName(tr("Tokens of the prompt"));
  connect(&state, &ViewState::captureChanged, this, [this] { measureTokens(); });
  connect(&state, &ViewState::cellChanged, this, [this] { followCell(); });
  connect(&state, &ViewState::matchesChanged, this, [this] { viewport()->update(); });
  connect(&reader, &CellReader::detailsChanged, this, [this] { viewport()->update(); });
  measureTokens();
}

void TokenStrip::setTint(Tint tint) {
  m_tint = tint;
  viewport()->update();
}

int TokenStrip::lineHeight() const { return fontMetrics().height() + 4; }

QSize TokenStrip::sizeHint() const { return {600, 3 * lineHeight() + 6}; }

QSize TokenStrip::minimumSizeHint() const { return {200, lineHeight() + 6}; }

void TokenStrip::measureTokens() {
  m_labels.clear();
  m_widths.clear();
  if (m_state.capture()) {
    for (const core::TokenText& token : m_state.capture()->tokens()) {
      QString label = QString::fromStdString(token.label);
      if (label.size() > kLongestLabel) label = label.left(kLongestLabel - 1) + "…";
      m_widths.push_back(fontMetrics().horizontalAdvance(label) + 2 * kPadding);
      m_labels.push_back(std::move(label));
    }
  }
  placeChips();
}

void TokenStrip::placeChips() {
  m_places.clear();
  const int right = viewport()->width() - kMargin;
  int x = kMargin, y = 2;
  for (const int width : m_widths) {
    if (x > kMargin && x + width > right) {
      x = kMargin;
      y += lineHeight();
    }
    m_places.emplace_back(x, y);
    x += width + kGap;
  }
  const int height = m_places.empty() ? 0 : m_places.back().y() + lineHeight() + 2;
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(lineHeight());
  verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
  viewport()->update();
}

QRect TokenStrip::chipRect(core::Position position) const {
  const auto index = static_cast<std::size_t>(position);
  return QRect(m_places.at(index), QSize(m_widths.at(index), lineHeight() - 2))
      .translated(0, -verticalScrollBar()->value());
}

const std::vector<float>* TokenStrip::values() const {
  const auto& details = m_reader.details();
  if (!details) return nullptr;
  const auto& chosen = m_tint == Tint::Row ? details->row : details->column;
  return chosen.size() == m_labels.size() ? &chosen : nullptr;
}

void TokenStrip::followCell() {
  if (const auto pinned = m_state.pinned(); pinned && static_cast<std::size_t>(pinned->query) < m_places.size()) {
    const int y = m_places[static_cast<std::size_t>(m_tint == Tint::Row ? pinned->query : pinned->key)].y();
    if (y < verticalScrollBar()->value() || y + lineHeight() > verticalScrollBar()->value() + viewport()->height())
      verticalScrollBar()->setValue(y - viewport()->height() / 2);
  }
  viewport()->update();
}

std::optional<core::Position> TokenStrip::chipAt(const QPoint& position) const {
  const int y = position.y() + verticalScrollBar()->value();
  // Chips lie in reading order: the last one that begins above and to the left of the position.
  const auto after = std::partition_point(m_places.begin(), m_places.end(), [&](const QPoint& place) {
    return place.y() + lineHeight() <= y || (place.y() <= y && place.x() <= position.x());
  });
  if (after == m_places.begin()) return std::nullopt;
  const auto index = static_cast<core::Position>(after - m_places.begin()) - 1;
  return chipRect(index).contains(position) ? std::optional(index) : std::nullopt;
}

void TokenStrip::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setFont(font());
  const std::vector<float>* weights = values();
  float largest = 0;
  if (weights)
    for (const float weight : *weights) largest = std::max(largest, weight);
  const auto& details = m_reader.details();
  const int top = verticalScrollBar()->value() + event->rect().top() - lineHeight();
  const auto first =
      std::partition_point(m_places.begin(), m_places.end(), [&](const QPoint& p) { return p.y() < top; });
  for (auto index = static_cast<std::size_t>(first - m_places.begin()); index < m_places.size(); ++index) {
    const auto position = static_cast<core::Position>(index);
    const QRect chip = chipRect(position);
    if (chip.top() > event->rect().bottom()) break;
    QColor ground = palette().color(QPalette::Window);
    QColor text = palette().color(QPalette::Text);
    if (weights && largest > 0 && (*weights)[index] > 0) {
      // The square root, so that weights of a few percent still show.
      const float share = std::sqrt((*weights)[index] / largest);
      const QColor tint = m_tint == Tint::Row ? kLookAccent : kActionAccent;
      painter.fillRect(chip, ground);
      ground = tint;
      ground.setAlphaF(0.08f + 0.82f * share);
      if (share > 0.55f) text = Qt::white;
    } else if (weights && details && m_tint == Tint::Row &&
               (position < details->visibleKeys.begin || position >= details->visibleKeys.end)) {
      text = mutedText(palette());
    }
    painter.fillRect(chip, ground);
    painter.setPen(text);
    painter.drawText(chip, Qt::AlignCenter, m_labels[index]);
    if (m_state.matches().contains(position))
      painter.fillRect(chip.adjusted(0, chip.height() - 2, 0, 0), kActionAccent);
    if (details && position == details->cell.query) {
      painter.setPen(QPen(kShownAccent, 2));
      painter.drawRect(chip.adjusted(1, 1, -1, -1));
    }
  }
}

void TokenStrip::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  placeChips();
}

void TokenStrip::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) measureTokens();
}

/// The cell that a token stands for: its row, or its column.
Cell TokenStrip::cellOf(core::Position position) const {
  // The other coordinate moves no further than it must for a cell that the mask shows.
  const core::AttentionMask mask = m_state.capture()->mask(m_state.head().layer);
  Cell cell = m_state.cell().value_or(m_reader.details() ? m_reader.details()->cell : Cell{});
  if (m_tint == Tint::Row) {
    const core::PositionRange keys = mask.visibleKeys(position);
    cell.query = position;
    cell.key = std::clamp(cell.key, keys.begin, keys.end - 1);
  } else {
    cell.key = position;
    if (!mask.visible(cell.query, position)) cell.query = position;
  }
  return cell;
}

void TokenStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const auto position = chipAt(event->position().toPoint());
  if (!position || !m_state.capture()) return;
  const auto pinned = m_state.pinned();
  if (pinned && (m_tint == Tint::Row ? pinned->query : pinned->key) == *position)
    m_state.setPinned(std::nullopt);
  else
    m_state.setPinned(cellOf(*position));
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event) {
  if (!m_state.capture() || m_state.pinned()) return;
  const auto position = chipAt(event->position().toPoint());
  m_state.setHovered(position ? std::optional(cellOf(*position)) : std::nullopt);
}

void TokenStrip::leaveEvent(QEvent*) { m_state.setHovered(std::nullopt); }

bool TokenStrip::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const auto position = chipAt(help->pos());
  if (!position || !m_state.capture()) {
    QToolTip::hideText();
    return true;
  }
  const auto index = static_cast<std::size_t>(*position);
  const core::TokenText& token = m_state.capture()->tokens().at(index);
  QString text = tr("%1 · %2 (token id %3)").arg(*position).arg(QString::fromStdString(token.label)).arg(token.id);
  if (const auto* weights = values(); weights && m_reader.details()) {
    const auto& cell = m_reader.details()->cell;
    const QString weight = QString::number(static_cast<double>((*weights)[index]), 'g', 3);
    text += m_tint == Tint::Row ? tr("\nweight %1 from query %2").arg(weight).arg(cell.query)
                                : tr("\nweight %1 on key %2").arg(weight).arg(cell.key);
  }
  QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace widgets
