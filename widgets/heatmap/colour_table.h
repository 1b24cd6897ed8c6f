// The colours of a Colouring, for millions of values a frame.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "widgets/heatmap/colormap.h"

namespace widgets {

/// color() equals Colouring::color() for every float: the value at which each of the 256 colours begins is searched
/// once, and a table by the float's leading 16 bits says near which of them a value lies.
class ColourTable {
 public:
  explicit ColourTable(const Colouring& colouring);

  Rgb color(float value) const { return colorOf(code(value)); }

  /// The colour as a number that grows with the value: 0 below the range, 1 to 256 the colours of the map, then above
  /// and NaN. So the largest code of several cells is that of their largest value, with NaN the largest of all.
  using Code = std::int16_t;
  static constexpr Code kAbove = 257;
  static constexpr Code kNotANumber = 258;

  Code code(float value) const {
    if (!(value >= m_lowest && value <= m_highest)) return outside(value);
    std::size_t step = m_near[leadingBits(value)];
    while (step < 255 && value >= m_begins[step + 1]) ++step;
    return static_cast<Code>(step + 1);
  }
  Rgb colorOf(Code code) const { return m_colours[static_cast<std::size_t>(code)]; }

 private:
  static std::uint32_t leadingBits(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits & 0x8000'0000U ? ~bits : bits | 0x8000'0000U) >> 16U;
  }
  Code outside(float value) const;

  std::array<Rgb, 259> m_colours;    // by code
  std::array<float, 256> m_begins;   // the smallest value of each colour
  std::vector<std::uint8_t> m_near;  // by leading bits: the colour of the smallest value that has them
  float m_lowest;
  float m_highest;
};

}  // namespace widgets
