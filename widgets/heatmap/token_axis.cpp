#include "widgets/heatmap/token_axis.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QSet>
#include <QToolTip>
#include <algorithm>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/label_thinning.h"

namespace widgets {

namespace {

constexpr int kGap = 5;            // between a label and the map
constexpr int kLongestLabel = 92;  // longer labels are cut with "…"
constexpr double kMark = 3;        // of what a search found

/// Of what a search found: the accent of actions, light enough on a dark ground to be read.
QColor markColor(const QPalette& palette) { return isDark(palette) ? QColor(0x6c, 0xb8, 0xd6) : kActionAccent; }

QFont axisFont(const QWidget& widget) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(std::max(7.0, widget.font().pointSizeF() * 0.85));
  return font;
}

}  // namespace

TokenAxis::TokenAxis(Qt::Orientation orientation, QWidget* parent) : QWidget(parent), m_orientation(orientation) {
  setFont(axisFont(*this));
  const bool keys = orientation == Qt::Horizontal;
  setSizePolicy(keys ? QSizePolicy::Expanding : QSizePolicy::Fixed, keys ? QSizePolicy::Fixed : QSizePolicy::Expanding);
  setMouseTracking(true);
}

void TokenAxis::setLabels(const QStringList& labels) {
  m_labels = labels;
  updateThickness();
  update();
}

void TokenAxis::updateThickness() {
  // By width, not by letters: those of another font may be twice as wide. Of the many tokens few are different.
  m_longest = 0;
  for (const QString& label : QSet<QString>(m_labels.begin(), m_labels.end())) {
    if (m_longest >= kLongestLabel) break;
    m_longest = std::max(m_longest, fontMetrics().horizontalAdvance(label));
  }
  m_thickness =
      std::clamp(isTurned() || m_orientation == Qt::Vertical ? m_longest : fontMetrics().height(), 24, kLongestLabel) +
      kGap + 2;
  updateGeometry();
}

// Labels of one or two letters (models of characters) are read more easily as they are.
bool TokenAxis::isTurned() const { return m_orientation == Qt::Horizontal && m_longest > fontMetrics().height(); }

void TokenAxis::setMapping(const AxisMapping& mapping) {
  if (mapping == m_mapping) return;
  m_mapping = mapping;
  update();
}

void TokenAxis::setHighlighted(std::optional<core::Position> cell) {
  if (cell == m_highlighted) return;
  m_highlighted = cell;
  update();
}

void TokenAxis::setMarked(const core::KeySet& cells) {
  m_marked = cells;
  update();
}

QSize TokenAxis::sizeHint() const {
  return m_orientation == Qt::Horizontal ? QSize(200, m_thickness) : QSize(m_thickness, 200);
}

QSize TokenAxis::minimumSizeHint() const {
  return m_orientation == Qt::Horizontal ? QSize(20, m_thickness) : QSize(m_thickness, 20);
}

void TokenAxis::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) updateThickness();
  QWidget::changeEvent(event);
}

bool TokenAxis::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int along = m_orientation == Qt::Horizontal ? help->pos().x() : help->pos().y();
  const std::optional<std::int64_t> cell = m_mapping.cellUnder(along * devicePixelRatioF());
  if (cell && *cell < m_labels.size()) {
    // Plain text: a token may look like markup.
    QToolTip::showText(help->globalPos(), m_labels[*cell].toHtmlEscaped(), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void TokenAxis::paintMarks(QPainter& painter) const {
  if (m_marked.empty()) return;
  const core::PositionRange visible = m_mapping.visibleCells();
  const double ratio = devicePixelRatioF();
  const std::vector<core::Position>& all = m_marked.keys();
  for (auto cell = std::lower_bound(all.begin(), all.end(), visible.begin); cell != all.end() && *cell < visible.end;
       ++cell) {
    const double begin = m_mapping.pixelOf(static_cast<double>(*cell)) / ratio;
    const double size = std::max(1.0, m_mapping.scale / ratio);
    painter.fillRect(m_orientation == Qt::Horizontal ? QRectF(begin, height() - kMark, size, kMark)
                                                     : QRectF(width() - kMark, begin, kMark, size),
                     markColor(palette()));
  }
}

void TokenAxis::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const double ratio = devicePixelRatioF();
  const QFontMetricsF metrics(font());
  const double lineHeight = metrics.height();
  const QColor plain = blended(palette(), 0.72);
  paintMarks(painter);
  for (const AxisLabel& label : thinnedLabels(m_mapping, lineHeight * ratio, m_highlighted, m_marked)) {
    if (label.cell >= m_labels.size()) continue;
    const bool highlighted = label.cell == m_highlighted;
    QFont labelFont = font();
    labelFont.setBold(highlighted);
    painter.setFont(labelFont);
    painter.setPen(highlighted ? kShownAccent : m_marked.contains(label.cell) ? markColor(palette()) : plain);
    const QString text = QFontMetricsF(labelFont).elidedText(m_labels[label.cell], Qt::ElideRight, m_thickness - kGap);
    const double centre = label.centre / ratio;
    painter.save();
    if (isTurned()) {
      painter.translate(centre, height() - kGap);
      painter.rotate(-90);
      painter.drawText(QRectF(0, -lineHeight / 2, height(), lineHeight), Qt::AlignLeft | Qt::AlignVCenter, text);
    } else if (m_orientation == Qt::Horizontal) {
      painter.drawText(QRectF(centre - lineHeight, 0, 2 * lineHeight, height() - kGap),
                       Qt::AlignHCenter | Qt::AlignBottom, text);
    } else {
      painter.drawText(QRectF(0, centre - lineHeight / 2, width() - kGap, lineHeight),
                       Qt::AlignRight | Qt::AlignVCenter, text);
    }
    painter.restore();
  }
}

}  // namespace widgets
