// From a value to a colour: scale, range, colour map, and colours of their own for what is no value in the range.
#pragma once

#include "core/map_values.h"
#include "core/value_ranks.h"
#include "widgets/heatmap/colormap_tables.h"

namespace widgets {

/// Decades that Scale::Log shows below the end of the range; what is smaller has the first colour.
constexpr double kLogDecades = 4;

/// A share of the range in [0, 1] to its place on the scale in [0, 1], and back. PerRow is linear in the row's own
/// range; Percentile is none of the range, see Colouring.
double shaped(Scale scale, double share);
double unshaped(Scale scale, double place);

/// Colours of one map (or, with PerRow, of one row). The diverging map is symmetric about 0. An empty range has the
/// first colour. A larger value never has an earlier place.
class Colouring {
 public:
  /// ranks: of Scale::Percentile, which must outlive the colouring; without them it is linear.
  Colouring(ColormapName name, Scale scale, core::ValueRange range, const core::ValueRanks* ranks = nullptr);

  double place(double value) const;    ///< in [0, 1], clamped; value is finite
  double valueAt(double place) const;  ///< the inverse, for ticks
  int step(double value) const;        ///< of the 256 colours, 0 to 255
  Rgb color(float value) const;

  /// Values that count as inside the range. Wider than it by 1e-5 of its size: an overview's largest value and the
  /// map's are rounded at other places.
  core::ValueRange inside() const;
  ColormapName colormap() const { return m_name; }

 private:
  double rankPlace(double value) const;
  double valueAtRank(double place) const;

  ColormapName m_name;
  Scale m_scale;
  bool m_centred;
  double m_low;
  double m_high;
  const core::ValueRanks* m_ranks;
};

/// What the colours of a stage span: weights start at 0, differences do not.
core::ValueRange colorRange(core::Stage stage, core::ValueRange values);

/// Whether a stage's values have a sign, for which the diverging map is made.
constexpr bool isSigned(core::Stage stage) { return stage != core::Stage::Weights; }

}  // namespace widgets
