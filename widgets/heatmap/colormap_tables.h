// The colour maps as tables of 256 colours.
#pragma once

#include <array>
#include <cstdint>

#include "widgets/state/view_state.h"

namespace widgets {

/// 0xAARRGGBB, opaque: what QImage::Format_RGB32 holds.
using Rgb = std::uint32_t;

const std::array<Rgb, 256>& colormapTable(ColormapName name);

/// Colours for what is no value inside the range.
struct SpecialColours {
  Rgb notANumber;
  Rgb below;  ///< below the range, -infinity too
  Rgb above;
};

/// Those that can be told from every colour of the map and from each other also with a colour-vision defect: CIE76
/// distances of at least 28, for protanopia, deuteranopia and tritanopia too (Machado et al. 2009).
const SpecialColours& specialColours(ColormapName name);

}  // namespace widgets
