// The colour maps as tables of 256 colours.
#pragma once

#include <array>
#include <cstdint>

#include "widgets/state/view_state.h"

namespace widgets {

/// 0xAARRGGBB, opaque: what QImage::Format_RGB32 holds.
using Rgb = std::uint32_t;

const std::array<Rgb, 256>& colormapTable(ColormapName name);

}  // namespace widgets
