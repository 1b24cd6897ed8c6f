#include "widgets/heatmap/head_grid_marks.h"

#include <QPainter>
#include <algorithm>

#include "widgets/heatmap/accents.h"

namespace widgets {

namespace {

constexpr int kBackingAlpha = 215;  // the map shines through a little

}  // namespace

QFont smallFont(QFont font) {
  font.setPointSizeF(std::max(6.5, font.pointSizeF() * 0.8));
  return font;
}

int smallTextHeight(const QFont& font) { return QFontMetrics(smallFont(font)).height() + 2; }

void paintLabel(QPainter& painter, const QRect& thumbnail, const QString& text, const QPalette& palette) {
  painter.setFont(smallFont(painter.font()));
  const QFontMetrics metrics = painter.fontMetrics();
  const int width = metrics.horizontalAdvance(text) + 6;
  const QRect backing(thumbnail.right() - width - 1, thumbnail.top() + 2, width, metrics.ascent() + 2);
  QColor ground = palette.color(QPalette::Base);
  ground.setAlpha(kBackingAlpha);
  painter.setPen(Qt::NoPen);
  painter.setBrush(ground);
  painter.drawRoundedRect(backing, 3, 3);
  painter.setPen(palette.color(QPalette::Text));
  painter.drawText(backing, Qt::AlignCenter, text);
}

void paintBadge(QPainter& painter, const QRect& place, const QPalette& palette) {
  const QColor base = palette.color(QPalette::Base);
  painter.setPen(QPen(base, 1));  // keeps the circle apart from the map
  painter.setBrush(warningColor(palette));
  painter.drawEllipse(place);
  const double unit = place.height() / 12.0;
  const double left = QRectF(place).center().x() - unit;
  painter.setPen(Qt::NoPen);
  painter.setBrush(base);
  painter.drawRect(QRectF(left, place.top() + 2.5 * unit, 2 * unit, 4.5 * unit));
  painter.drawRect(QRectF(left, place.top() + 8 * unit, 2 * unit, 1.75 * unit));
}

}  // namespace widgets
