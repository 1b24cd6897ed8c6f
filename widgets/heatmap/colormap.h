// From a value to a colour: scale, range, colour map, and colours of their own for what is not a number.
#pragma once

#include "core/attention_map.h"
#include "widgets/heatmap/colormap_tables.h"

namespace widgets {

/// In no colour map, so that they can't be mistaken for a value.
constexpr Rgb kNanColor = 0xffff00ff;
constexpr Rgb kAboveColor = 0xff00ff00;  ///< +infinity
constexpr Rgb kBelowColor = 0xff00ffff;  ///< -infinity where the mask lets the query look

/// Decades that Scale::Log shows below the end of the range; what is smaller has the first colour.
constexpr double kLogDecades = 4;

/// A share of the range in [0, 1] to its place on the scale in [0, 1], and back. PerRow is linear in the row's own
/// range.
double shaped(Scale scale, double share);
double unshaped(Scale scale, double place);

/// Colours of one map (or, with PerRow, of one row). Ranges: weights go from 0 to the largest, the others from the
/// smallest to the largest; the diverging map is symmetric about 0. An empty range has the first colour.
class Colouring {
 public:
  Colouring(ColormapName name, Scale scale, core::ValueRange range);

  double place(double value) const;    ///< in [0, 1], clamped; value is finite
  double valueAt(double place) const;  ///< the inverse, for ticks
  Rgb color(float value) const;

 private:
  const std::array<Rgb, 256>* m_table;
  Scale m_scale;
  bool m_centred;
  double m_low;
  double m_high;
};

/// What the colours of a stage span: weights start at 0.
core::ValueRange colorRange(core::Stage stage, core::ValueRange values);

/// Whether a stage's values have a sign, for which the diverging map is made.
constexpr bool isSigned(core::Stage stage) { return stage != core::Stage::Weights; }

}  // namespace widgets
