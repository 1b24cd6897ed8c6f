#include "widgets/heatmap/row_profile.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/heatmap_overlay.h"

namespace widgets {

namespace {
constexpr int kGap = 6;  // between the map and the bars
}

RowProfile::RowProfile(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  setAccessibleName(tr("Total variation of each row"));
}

void RowProfile::setValues(std::vector<float> values) {
  m_values = std::move(values);
  double sum = 0;
  for (const float value : m_values) sum += static_cast<double>(value);
  const double mean = m_values.empty() ? 0 : sum / static_cast<double>(m_values.size());
  setAccessibleDescription(m_values.empty() ? QString() : tr("mean %1").arg(shortNumber(mean)));
  update();
}

void RowProfile::setMapping(const AxisMapping& rows) {
  if (rows == m_mapping) return;
  m_mapping = rows;
  update();
}

std::optional<float> RowProfile::valueOf(core::Position row) const {
  if (row < 0 || static_cast<std::size_t>(row) >= m_values.size()) return std::nullopt;
  return m_values[static_cast<std::size_t>(row)];
}

void RowProfile::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const double ratio = devicePixelRatioF();
  const double room = width() - kGap - 1;
  painter.setPen(QPen(blended(palette(), 0.25), 1));
  const double bottom = m_mapping.end() / ratio;
  painter.drawLine(QPointF(kGap + 0.5, 0), QPointF(kGap + 0.5, bottom));
  if (m_values.empty()) return;
  // A line of pixels shows the largest of its rows.
  for (int y = 0; y < m_mapping.end(); ++y) {
    const core::PositionRange rows = m_mapping.blocksUnder(y, 1);
    float largest = 0;
    for (core::Position row = rows.begin; row < rows.end; ++row) {
      const float value = valueOf(row).value_or(0);
      largest = std::isnan(value) ? value : std::max(largest, value);
    }
    const bool isNumber = !std::isnan(largest);
    const double length = isNumber ? room * std::clamp(static_cast<double>(largest), 0.0, 1.0) : room;
    painter.fillRect(QRectF(kGap + 1, y / ratio, length, 1 / ratio),
                     isNumber ? kActionAccent : warningColor(palette()));
  }
}

bool RowProfile::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto row = m_mapping.cellUnder(help->pos().y() * devicePixelRatioF());
  const auto value = row ? valueOf(*row) : std::nullopt;
  if (!value) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(),
                       tr("query %1: total variation %2 (0: equal, 1: nothing in common)")
                           .arg(*row)
                           .arg(shortNumber(static_cast<double>(*value))),
                       this);
  }
  return true;
}

}  // namespace widgets
