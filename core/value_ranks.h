// How many of a map's values are smaller than a value: what a scale by percentile needs.
#pragma once

#include <vector>

#include "core/map_source.h"

namespace core {

/// The distribution of the finite values that count (neither masked nor hidden), in steps of float's leading 16 bits:
/// 1/128 of a value. Immutable.
class ValueRanks {
 public:
  /// Of a map of more than 8192 x 8192 cells every rowStep()th row is counted.
  static ValueRanks of(const MapSource& map, Stage stage, const Progress& progress);
  static std::int64_t rowStep(const MapRect& extent);

  /// The share of the values below `value`, those of its own step counted half. In [0, 1].
  double share(double value) const;
  /// The value below which this share of the values lies: the other way round, to a step.
  double valueAt(double share) const;
  bool empty() const { return m_steps.empty(); }
  std::size_t bytes() const { return m_steps.size() * sizeof(Step); }

 private:
  struct Step {
    float low;     ///< values from here to the next step's
    double share;  ///< of all values below this step
    double own;    ///< of all values in it
  };
  std::vector<Step> m_steps;  // ascending; only those that hold a value
};

}  // namespace core
