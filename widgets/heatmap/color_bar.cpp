#include "widgets/heatmap/color_bar.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/heatmap_overlay.h"

namespace widgets {

namespace {

constexpr int kBarWidth = 13;
constexpr int kGap = 6;
constexpr int kOutside = 8;  // height of the colour of what is outside the range

}  // namespace

QString ColorBar::unit(core::Stage stage) {
  switch (stage) {
    case core::Stage::Scores:
    case core::Stage::MaskedScores: return QStringLiteral("q·k/√D");
    case core::Stage::Weights: return tr("weight");
    case core::Stage::Output:
    case core::Stage::Reassembled: return QStringLiteral("y");
  }
  return {};
}

ColorBar::ColorBar(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  setAccessibleName(tr("Colour bar"));
  setCursor(Qt::SizeVerCursor);
  setToolTip(tr("Drag an end to choose the range of the colours; a double click brings back the map's own."));
}

void ColorBar::setColours(const ColourChoice& colours, core::Stage stage, std::optional<core::ValueRange> range,
                          std::shared_ptr<const core::ValueRanks> ranks) {
  m_colours = colours;
  m_ranks = std::move(ranks);
  m_stage = stage;
  m_range = range;
  setAccessibleDescription(range ? tr("%1 from %2 to %3").arg(unit(stage), tickText(0), tickText(1)) : QString());
  update();
}

QString ColorBar::tickText(double place) const {
  if (!m_range || (m_colours.scale == Scale::Percentile && !m_ranks)) return {};
  if (m_colours.scale != Scale::PerRow)
    return shortNumber(Colouring(m_colours.colormap, m_colours.scale, *m_range, m_ranks.get()).valueAt(place));
  if (place == 1) return tr("row max");
  if (m_colours.colormap == ColormapName::Diverging)
    return place == 0 ? tr("−row max") : place == 0.5 ? QStringLiteral("0") : QString();
  if (place == 0) return isSigned(m_stage) ? tr("row min") : QStringLiteral("0");
  return {};
}

QSize ColorBar::sizeHint() const {
  return {fontMetrics().horizontalAdvance(QStringLiteral("-0.00000")) + kGap + kBarWidth + 1, 200};
}

QRectF ColorBar::bar() const {
  return QRectF(width() - kBarWidth - 1, 1 + kOutside, kBarWidth, height() - 2 - 2 * kOutside);
}

void ColorBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_range || m_colours.scale == Scale::PerRow) return event->ignore();
  m_drag = Drag{event->position().y() < bar().center().y(), *m_range,
                Colouring(m_colours.colormap, m_colours.scale, *m_range, m_ranks.get())};
}

void ColorBar::mouseMoveEvent(QMouseEvent* event) {
  if (!m_drag) return event->ignore();
  const double place = std::clamp((bar().bottom() - event->position().y()) / bar().height(), 0.0, 1.0);
  const auto value = static_cast<float>(m_drag->colouring.valueAt(place));
  core::ValueRange range = m_drag->range;
  if (m_colours.colormap == ColormapName::Diverging) {
    range = {-std::abs(value), std::abs(value)};
  } else {
    (m_drag->isHighEnd ? range.high : range.low) = value;
  }
  if (range.low < range.high) Q_EMIT rangeChosen(range);
}

void ColorBar::mouseReleaseEvent(QMouseEvent*) { m_drag.reset(); }

void ColorBar::mouseDoubleClickEvent(QMouseEvent*) {
  m_drag.reset();
  Q_EMIT rangeChosen(std::nullopt);
}

void ColorBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const double lineHeight = QFontMetricsF(font()).height();
  const QRectF bar = this->bar();

  // The colour of a place, 256 steps from top to bottom, each an exact band.
  const auto& table = colormapTable(m_colours.colormap);
  const auto steps = static_cast<int>(table.size());
  QImage gradient(1, steps, QImage::Format_RGB32);
  for (int y = 0; y < steps; ++y) gradient.setPixel(0, y, table[static_cast<std::size_t>(steps - 1 - y)]);
  painter.drawImage(bar, gradient);
  painter.setPen(QPen(blended(palette(), 0.25), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));

  if (m_colours.range && m_colours.scale != Scale::PerRow) {
    const SpecialColours& outside = specialColours(m_colours.colormap);
    painter.fillRect(QRectF(bar.left(), bar.top() - kOutside, bar.width(), kOutside - 2),
                     QColor::fromRgb(outside.above));
    painter.fillRect(QRectF(bar.left(), bar.bottom() + 2, bar.width(), kOutside - 2), QColor::fromRgb(outside.below));
  }
  painter.setPen(blended(palette(), 0.72));
  const int ticks = std::clamp(static_cast<int>(bar.height() / (2 * lineHeight)), 1, 4);
  const int parts = ticks == 3 ? 2 : ticks;
  for (int i = 0; i <= parts; ++i) {
    const double place = static_cast<double>(i) / parts;
    const double y =
        std::clamp(bar.bottom() - place * bar.height(), bar.top() + lineHeight / 2, bar.bottom() - lineHeight / 2);
    painter.drawText(QRectF(0, y - lineHeight / 2, bar.left() - kGap, lineHeight), Qt::AlignRight | Qt::AlignVCenter,
                     tickText(place));
  }
}

}  // namespace widgets
