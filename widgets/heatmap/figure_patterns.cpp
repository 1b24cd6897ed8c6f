#include "widgets/heatmap/figure_patterns.h"

#include <cmath>

namespace widgets {

namespace {

constexpr double kSlanted = 6;  // points between lines, as patternAt() has pixels
constexpr double kStraight = 4;
constexpr double kWidth = 0.8;

double firstMultiple(double from, double step) { return std::ceil(from / step) * step; }

/// x + y = c, as far as it is in the rectangle.
void addRising(std::vector<QLineF>& lines, const QRectF& rect, const QPointF& corner) {
  const double origin = corner.x() + corner.y();
  const double from = rect.left() + rect.top() - origin;
  const double to = rect.right() + rect.bottom() - origin;
  for (double c = firstMultiple(from, kSlanted); c < to; c += kSlanted) {
    const double sum = c + origin;
    const double left = std::max(rect.left(), sum - rect.bottom());
    const double right = std::min(rect.right(), sum - rect.top());
    if (left < right) lines.emplace_back(left, sum - left, right, sum - right);
  }
}

void addLevel(std::vector<QLineF>& lines, const QRectF& rect, const QPointF& corner) {
  const double first = firstMultiple(rect.top() - corner.y(), kStraight) + corner.y();
  // A rectangle between two lines has one of its own.
  if (first > rect.bottom()) lines.emplace_back(rect.left(), rect.center().y(), rect.right(), rect.center().y());
  for (double y = first; y <= rect.bottom(); y += kStraight) lines.emplace_back(rect.left(), y, rect.right(), y);
}

void addUpright(std::vector<QLineF>& lines, const QRectF& rect, const QPointF& corner) {
  const double first = firstMultiple(rect.left() - corner.x(), kStraight) + corner.x();
  if (first > rect.right()) lines.emplace_back(rect.center().x(), rect.top(), rect.center().x(), rect.bottom());
  for (double x = first; x <= rect.right(); x += kStraight) lines.emplace_back(x, rect.top(), x, rect.bottom());
}

}  // namespace

void drawPattern(std::vector<FigureItem>& items, NoValue why, const std::vector<QRectF>& rects, const QPointF& corner,
                 const Hatch& hatch) {
  FigureLines lines{{}, QColor::fromRgb(hatch.line), kWidth};
  for (const QRectF& rect : rects) {
    items.emplace_back(FigureShape{QPolygonF(rect), QColor::fromRgb(hatch.ground)});
    switch (why) {
      case NoValue::Masked: addRising(lines.lines, rect, corner); break;
      case NoValue::MaskedRow: addLevel(lines.lines, rect, corner); break;
      case NoValue::Hidden: addUpright(lines.lines, rect, corner); break;
      case NoValue::NotComputed: break;  // a figure is drawn when all is computed
    }
  }
  if (!lines.lines.empty()) items.emplace_back(std::move(lines));
}

}  // namespace widgets
