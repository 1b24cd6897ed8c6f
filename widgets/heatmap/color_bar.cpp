#include "widgets/heatmap/color_bar.h"

#include <QPainter>
#include <algorithm>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/heatmap_overlay.h"

namespace widgets {

namespace {

constexpr int kBarWidth = 13;
constexpr int kGap = 6;

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
}

void ColorBar::setColours(ColormapName colormap, Scale scale, core::Stage stage,
                          std::optional<core::ValueRange> range) {
  m_colormap = colormap;
  m_scale = scale;
  m_stage = stage;
  m_range = range;
  setAccessibleDescription(range ? tr("%1 from %2 to %3").arg(unit(stage), tickText(0), tickText(1)) : QString());
  update();
}

QString ColorBar::tickText(double place) const {
  if (!m_range) return {};
  if (m_scale != Scale::PerRow) return shortNumber(Colouring(m_colormap, m_scale, *m_range).valueAt(place));
  if (place == 1) return tr("row max");
  if (m_colormap == ColormapName::Diverging)
    return place == 0 ? tr("−row max") : place == 0.5 ? QStringLiteral("0") : QString();
  if (place == 0) return isSigned(m_stage) ? tr("row min") : QStringLiteral("0");
  return {};
}

QSize ColorBar::sizeHint() const {
  return {fontMetrics().horizontalAdvance(QStringLiteral("-0.00000")) + kGap + kBarWidth + 1, 200};
}

void ColorBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const double lineHeight = QFontMetricsF(font()).height();
  const QRectF bar(width() - kBarWidth - 1, 1, kBarWidth, height() - 2);

  // The colour of a place, 256 steps from top to bottom, each an exact band.
  const auto& table = colormapTable(m_colormap);
  const auto steps = static_cast<int>(table.size());
  QImage gradient(1, steps, QImage::Format_RGB32);
  for (int y = 0; y < steps; ++y) gradient.setPixel(0, y, table[static_cast<std::size_t>(steps - 1 - y)]);
  painter.drawImage(bar, gradient);
  painter.setPen(QPen(blended(palette(), 0.25), 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5));

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
