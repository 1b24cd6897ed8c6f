#include "widgets/heatmap/colormap.h"

#include <algorithm>
#include <cmath>

namespace widgets {

double shaped(Scale scale, double share) {
  switch (scale) {
    case Scale::Linear:
    case Scale::PerRow: return share;
    case Scale::SquareRoot: return std::sqrt(share);
    case Scale::Log: return share <= 0 ? 0 : std::max(0.0, 1 + std::log10(share) / kLogDecades);
  }
  return share;
}

double unshaped(Scale scale, double place) {
  switch (scale) {
    case Scale::Linear:
    case Scale::PerRow: return place;
    case Scale::SquareRoot: return place * place;
    case Scale::Log: return std::pow(10, (place - 1) * kLogDecades);
  }
  return place;
}

Colouring::Colouring(ColormapName name, Scale scale, core::ValueRange range)
    : m_table(&colormapTable(name)),
      m_scale(scale),
      m_centred(name == ColormapName::Diverging),
      m_low(range.low),
      m_high(range.high) {
  if (m_centred) {
    m_high = std::max(std::abs(m_low), std::abs(m_high));
    m_low = -m_high;
  }
}

double Colouring::place(double value) const {
  if (m_centred) {
    if (m_high <= 0) return 0.5;
    const double distance = shaped(m_scale, std::min(1.0, std::abs(value) / m_high));
    return 0.5 + std::copysign(0.5 * distance, value);
  }
  if (m_high <= m_low) return 0;
  return shaped(m_scale, std::clamp((value - m_low) / (m_high - m_low), 0.0, 1.0));
}

double Colouring::valueAt(double place) const {
  if (m_centred) return std::copysign(m_high * unshaped(m_scale, std::abs(2 * place - 1)), place - 0.5);
  return m_low + (m_high - m_low) * unshaped(m_scale, place);
}

Rgb Colouring::color(float value) const {
  if (std::isnan(value)) return kNanColor;
  if (std::isinf(value)) return value > 0 ? kAboveColor : kBelowColor;
  return (*m_table)[std::min<std::size_t>(255, static_cast<std::size_t>(place(value) * 256))];
}

core::ValueRange colorRange(core::Stage stage, core::ValueRange values) {
  if (stage == core::Stage::Weights) values.low = 0;
  return values;
}

}  // namespace widgets
