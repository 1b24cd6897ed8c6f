#include "widgets/heatmap/colour_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace widgets {

namespace {

/// Floats in the order of their values as integers, and back.
std::uint32_t ordered(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits & 0x8000'0000U ? ~bits : bits | 0x8000'0000U;
}

float unordered(std::uint32_t order) {
  return std::bit_cast<float>(order & 0x8000'0000U ? order & 0x7FFF'FFFFU : ~order);
}

/// The smallest finite float whose colour is at least `step`; infinity when there is none.
float beginOf(const Colouring& colouring, int step) {
  std::uint32_t low = ordered(-std::numeric_limits<float>::max());
  std::uint32_t high = ordered(std::numeric_limits<float>::max());
  if (colouring.step(static_cast<double>(unordered(high))) < step) return std::numeric_limits<float>::infinity();
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (colouring.step(static_cast<double>(unordered(middle))) >= step) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return unordered(low);
}

}  // namespace

ColourTable::ColourTable(const Colouring& colouring) : m_near(1U << 16U) {
  const SpecialColours& specials = specialColours(colouring.colormap());
  m_colours[0] = specials.below;
  std::copy_n(colormapTable(colouring.colormap()).begin(), 256, m_colours.begin() + 1);
  m_colours[kAbove] = specials.above;
  m_colours[kNotANumber] = specials.notANumber;
  for (int step = 0; step < 256; ++step) m_begins[static_cast<std::size_t>(step)] = beginOf(colouring, step);
  std::size_t step = 0;
  for (std::uint32_t leading = 0; leading < m_near.size(); ++leading) {
    const float smallest = unordered(leading << 16U);
    if (std::isnan(smallest)) continue;
    while (step < 255 && smallest >= m_begins[step + 1]) ++step;
    m_near[leading] = static_cast<std::uint8_t>(step);
  }
  const core::ValueRange inside = colouring.inside();
  const bool empty = !(inside.high > inside.low);  // nothing lies outside of an empty range
  m_lowest = empty ? -std::numeric_limits<float>::max() : inside.low;
  m_highest = empty ? std::numeric_limits<float>::max() : inside.high;
}

ColourTable::Code ColourTable::outside(float value) const {
  if (std::isnan(value)) return kNotANumber;
  return value > m_highest ? kAbove : Code{0};
}

}  // namespace widgets
