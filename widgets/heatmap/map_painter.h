// Values to pixels: crisp cells at one pixel and above, a pixel's blocks reduced to one value below, patterns for cells
// without a value.
#pragma once

#include <QImage>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/map_source.h"
#include "widgets/heatmap/colour_table.h"
#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

/// The colours of patterns; no colour map has them.
struct Hatch {
  Rgb ground;
  Rgb line;
};
constexpr Hatch kLightHatch{0xffe8eaef, 0xffc6cbd6};
constexpr Hatch kDarkHatch{0xff2b2e36, 0xff454a56};

/// Why a cell has no colour of a value. Each has a pattern of lines of its own.
enum class NoValue {
  Masked,       ///< rising lines
  MaskedRow,    ///< level lines: nothing of the row is visible
  Hidden,       ///< upright lines
  NotComputed,  ///< dots
};

/// x and y count pixels of the map, so that the pattern moves with it.
Rgb patternAt(NoValue why, const Hatch& hatch, std::int64_t x, std::int64_t y);

/// One row of blocks, from the first to the last on the screen.
struct MapLine {
  std::vector<float> values;
  std::vector<char> known;                ///< 0: not computed yet, drawn as waiting
  std::optional<core::ValueRange> range;  ///< PerRow alone: that of this row; nullopt: not computed yet
};

/// Fills `line`, which comes sized for `blocks` and unknown. Called once a row of blocks, from top to bottom.
using LineSource = std::function<void(std::int64_t blockRow, const core::PositionRange& blocks, MapLine& line)>;

/// The same as colour codes, for a picture whose pixels show the largest value of their blocks in one colouring: writes
/// a code for each block, or kNotKnown.
constexpr ColourTable::Code kNotKnown = -1;
using CodeSource =
    std::function<void(std::int64_t blockRow, const core::PositionRange& blocks, ColourTable::Code* codes)>;

struct MapPicture {
  AxisMapping rows;
  AxisMapping columns;
  std::int64_t block = 1;  ///< cells in each direction that a value stands for
  core::Reduction reduction = core::Reduction::Max;
  std::optional<core::MapMask> mask;  ///< set where masked cells are hatched
  core::KeySet hidden;                ///< columns
  ColormapName colormap = ColormapName::Viridis;
  /// nullptr: with `perRow`, every row has its own range; without, the range is not known yet and all cells wait.
  std::shared_ptr<const ColourTable> colours;
  bool perRow = false;
  CodeSource codes = {};  ///< of `colours`; not asked for with perRow or another reduction than Max
  Hatch hatch = kLightHatch;
};

/// Paints the pixels `pixelRows` x `pixelColumns` of the map into `image` (Format_RGB32, at least rows.end() x
/// columns.end()); the rest stays as it is.
void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines, const core::PositionRange& pixelRows,
              const core::PositionRange& pixelColumns);

/// All of the map in the viewport.
void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines);

}  // namespace widgets
