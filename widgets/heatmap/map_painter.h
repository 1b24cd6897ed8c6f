// Values to pixels: crisp cells at one pixel and above, the largest or mean of a pixel's blocks below, hatched masks.
#pragma once

#include <QImage>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/heatmap/colormap.h"
#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

/// The pattern of masked cells; no colour map has these colours.
struct Hatch {
  Rgb ground;
  Rgb line;
  /// x and y count pixels of the map, so the pattern moves with it.
  Rgb at(std::int64_t x, std::int64_t y) const { return (x + y) % 6 == 0 ? line : ground; }
};
constexpr Hatch kLightHatch{0xffe8eaef, 0xffc6cbd6};
constexpr Hatch kDarkHatch{0xff2b2e36, 0xff454a56};

/// One row of blocks, from the first to the last on the screen.
struct MapLine {
  std::vector<float> values;
  std::vector<char> known;                ///< 0: not computed yet, drawn as waiting
  std::optional<core::ValueRange> range;  ///< the colours' range in this row; nullopt: not computed yet
};

/// Fills `line`, which comes sized for `blocks` and unknown. Called once a row of blocks, from top to bottom.
using LineSource = std::function<void(std::int64_t blockRow, const core::PositionRange& blocks, MapLine& line)>;

struct MapPicture {
  AxisMapping rows;
  AxisMapping columns;
  std::int64_t block = 1;  ///< cells in each direction that a value stands for
  core::Reduction reduction = core::Reduction::Max;
  std::optional<core::AttentionMask> mask;  ///< set where masked cells are hatched
  ColormapName colormap = ColormapName::Viridis;
  Scale scale = Scale::Linear;
  Hatch hatch = kLightHatch;
};

/// Paints the map's pixels into `image` (Format_RGB32, at least rows.end() x columns.end()); the rest stays as it is.
void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines);

}  // namespace widgets
