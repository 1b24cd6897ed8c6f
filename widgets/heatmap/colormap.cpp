#include "widgets/heatmap/colormap.h"

#include <algorithm>
#include <cmath>

namespace widgets {

double shaped(Scale scale, double share) {
  switch (scale) {
    case Scale::Linear:
    case Scale::PerRow:
    case Scale::Percentile: return share;
    case Scale::SquareRoot: return std::sqrt(share);
    case Scale::Log: return share <= 0 ? 0 : std::max(0.0, 1 + std::log10(share) / kLogDecades);
  }
  return share;
}

double unshaped(Scale scale, double place) {
  switch (scale) {
    case Scale::Linear:
    case Scale::PerRow:
    case Scale::Percentile: return place;
    case Scale::SquareRoot: return place * place;
    case Scale::Log: return std::pow(10, (place - 1) * kLogDecades);
  }
  return place;
}

Colouring::Colouring(ColormapName name, Scale scale, core::ValueRange range, const core::ValueRanks* ranks)
    : m_name(name),
      m_scale(scale),
      m_centred(name == ColormapName::Diverging),
      m_low(static_cast<double>(range.low)),
      m_high(static_cast<double>(range.high)),
      m_ranks(scale == Scale::Percentile && ranks && !ranks->empty() ? ranks : nullptr) {
  if (m_centred) {
    m_high = std::max(std::abs(m_low), std::abs(m_high));
    m_low = -m_high;
  }
}

/// The diverging map keeps its middle at 0: the ranks of positive and of negative values each fill a half.
double Colouring::rankPlace(double value) const {
  const double share = m_ranks->share(value);
  if (!m_centred) return share;
  const double zero = m_ranks->share(0);
  if (value == 0 || (value > 0 && zero >= 1) || (value < 0 && zero <= 0)) return 0.5;
  return value > 0 ? 0.5 + 0.5 * (share - zero) / (1 - zero) : 0.5 * share / zero;
}

double Colouring::valueAtRank(double place) const {
  if (!m_centred) return m_ranks->valueAt(place);
  const double zero = m_ranks->share(0);
  if (place == 0.5) return 0;
  return m_ranks->valueAt(place > 0.5 ? zero + (2 * place - 1) * (1 - zero) : 2 * place * zero);
}

double Colouring::place(double value) const {
  if (m_ranks) return std::clamp(rankPlace(value), 0.0, 1.0);
  if (m_centred) {
    if (m_high <= 0) return 0.5;
    const double distance = shaped(m_scale, std::min(1.0, std::abs(value) / m_high));
    return 0.5 + std::copysign(0.5 * distance, value);
  }
  if (m_high <= m_low) return 0;
  return shaped(m_scale, std::clamp((value - m_low) / (m_high - m_low), 0.0, 1.0));
}

double Colouring::valueAt(double place) const {
  if (m_ranks) return valueAtRank(place);
  if (m_centred) return std::copysign(m_high * unshaped(m_scale, std::abs(2 * place - 1)), place - 0.5);
  return m_low + (m_high - m_low) * unshaped(m_scale, place);
}

int Colouring::step(double value) const { return std::min(255, static_cast<int>(place(value) * 256)); }

core::ValueRange Colouring::inside() const {
  const double slack = 1e-5 * std::max(m_high - m_low, 0.0);
  return {static_cast<float>(m_low - slack), static_cast<float>(m_high + slack)};
}

Rgb Colouring::color(float value) const {
  const SpecialColours& specials = specialColours(m_name);
  if (std::isnan(value)) return specials.notANumber;
  const core::ValueRange range = inside();
  if (std::isinf(value)) return value > 0 ? specials.above : specials.below;
  // An empty range has nothing outside of it: all values of the map are equal.
  if (m_high > m_low && value > range.high) return specials.above;
  if (m_high > m_low && value < range.low) return specials.below;
  return colormapTable(m_name)[static_cast<std::size_t>(step(static_cast<double>(value)))];
}

core::ValueRange colorRange(core::Stage stage, core::ValueRange values) {
  if (stage == core::Stage::Weights && values.low > 0) values.low = 0;
  return values;
}

}  // namespace widgets
