#include "widgets/charts/bar_list.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace widgets {

namespace {

constexpr int kGap = 8;
constexpr int kBarHeight = 7;
constexpr double kLabelShare = 0.36;  // of the width

}  // namespace

BarList::BarList(int rows, const QColor& color, QWidget* parent) : QWidget(parent), m_rows(rows), m_color(color) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BarList::setBars(std::vector<Bar> bars) {
  if (bars == m_bars) return;
  m_bars = std::move(bars);
  QString spoken;
  for (const Bar& bar : m_bars) spoken += QString("%1: %2\n").arg(bar.label).arg(bar.value, 0, 'f', 3);
  setAccessibleDescription(spoken);
  update();
}

int BarList::rowHeight() const { return fontMetrics().height() + 2; }

QSize BarList::sizeHint() const { return {240, m_rows * rowHeight()}; }

QSize BarList::minimumSizeHint() const { return {140, m_rows * rowHeight()}; }

int BarList::barAt(const QPoint& position) const {
  const int index = position.y() / rowHeight();
  return position.y() >= 0 && index < std::min(m_rows, static_cast<int>(m_bars.size())) ? index : -1;
}

void BarList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QFont labelFont = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  labelFont.setPointSizeF(font().pointSizeF() * 0.95);
  const QFontMetrics labelMetrics(labelFont);

  double longest = 0;
  for (const Bar& bar : m_bars) longest = std::max(longest, bar.value);
  const int valueWidth = fontMetrics().horizontalAdvance("0.000");
  const int labelWidth = static_cast<int>(width() * kLabelShare);
  const QRectF track(labelWidth + kGap, 0, width() - labelWidth - valueWidth - 2 * kGap, kBarHeight);

  for (int i = 0; i < std::min(m_rows, static_cast<int>(m_bars.size())); ++i) {
    const Bar& bar = m_bars[static_cast<std::size_t>(i)];
    const QRect row(0, i * rowHeight(), width(), rowHeight());
    painter.setFont(labelFont);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRect(row.left(), row.top(), labelWidth, row.height()), Qt::AlignVCenter | Qt::AlignLeft,
                     labelMetrics.elidedText(bar.label, Qt::ElideRight, labelWidth));
    painter.setFont(font());
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignRight,
                     std::isnan(bar.value) ? tr("NaN") : QString::number(bar.value, 'f', 3));
    QRectF place = track.translated(0, row.top() + (row.height() - kBarHeight) / 2.0);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Window));
    painter.drawRoundedRect(place, 2, 2);
    if (!(bar.value > 0) || !(longest > 0)) continue;
    place.setWidth(std::max(2.0, place.width() * bar.value / longest));
    painter.setBrush(m_color);
    painter.drawRoundedRect(place, 2, 2);
  }
}

void BarList::mousePressEvent(QMouseEvent* event) {
  const int index = barAt(event->position().toPoint());
  if (event->button() == Qt::LeftButton && index >= 0) Q_EMIT barClicked(index);
}

bool BarList::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  const int index = barAt(help->pos());
  if (index >= 0)
    QToolTip::showText(help->globalPos(), m_bars[static_cast<std::size_t>(index)].toolTip, this);
  else
    QToolTip::hideText();
  return true;
}

}  // namespace widgets
