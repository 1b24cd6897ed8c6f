// A map that can be looked at part by part: one head, or what is made of several.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "core/key_set.h"
#include "core/map_mask.h"
#include "core/map_values.h"
#include "core/progress.h"

namespace core {

/// Immutable, callable from any thread. rectangle(), overview() and range() are heavy and belong on a worker; they
/// report progress between pieces of work. Errors of these: Mismatch when a rectangle is not inside extent(),
/// Cancelled, Unsupported when the map has no such stage.
class MapSource {
 public:
  virtual ~MapSource() = default;

  /// Equal for two maps of this process exactly when all their values and overviews are.
  virtual std::string identity() const = 0;
  virtual MapRect extent(Stage stage) const = 0;  ///< the whole of a stage
  virtual MapMask mask() const = 0;               ///< of the stages that are masked (isMasked())

  /// Keys that are not drawn and count neither in a range nor in an overview. The values of their cells stay.
  virtual KeySet hidden() const { return {}; }

  /// Whether the values are differences: with a sign, and 0 where two things are equal.
  virtual bool isDifference() const { return false; }

  /// The columns of Stage::Reassembled that are this map's own head; none for a map of several.
  virtual std::optional<PositionRange> slice() const { return std::nullopt; }

  virtual BrokenRows brokenRows() const { return {}; }

  /// Shape: (rect.rows, rect.columns). Masked cells are exactly 0 in Weights and -infinity in MaskedScores.
  virtual MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const = 0;

  /// Blocks of block x block cells of the rectangle reduced to one value each, the last ones smaller.
  /// Shape: (ceil(rows / block), ceil(columns / block)). Cells that are masked (in a masked stage) or hidden do not
  /// count, a mean is over those that do; a block of none is 0 in Weights, else -infinity. NaN wins.
  /// Memory grows with the result, not with the rectangle.
  virtual MapValues overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                             const Progress& progress = {}) const;

  /// Over the finite cells that count; {0, 0} when there are none.
  virtual ValueRange range(Stage stage, const Progress& progress = {}) const;
};

/// Calls `use(rows, values)` for bands of whole rows of the rectangle, from top to bottom.
template <class Use>
void inBands(const MapSource& source, Stage stage, const MapRect& rect, const Progress& progress, Use use) {
  constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 20;
  const std::int64_t step = std::max<std::int64_t>(1, kCellsAtOnce / std::max<std::int64_t>(1, rect.columns.size()));
  for (Position begin = rect.rows.begin; begin < rect.rows.end; begin += step) {
    const PositionRange rows{begin, std::min(rect.rows.end, begin + step)};
    const auto share = [&](Position row) {
      return static_cast<double>(row - rect.rows.begin) / static_cast<double>(rect.rows.size());
    };
    progress.report(share(rows.begin), "map");
    use(rows, source.rectangle(stage, {rows, rect.columns}, progress.part(share(rows.begin), share(rows.end))));
  }
}

/// The columns of `columns` that count in a row of a stage as far as the mask goes.
PositionRange countedColumns(const MapMask& mask, Stage stage, Position row, const PositionRange& columns);

}  // namespace core
