// One head of a capture: any rectangle, row or reduced overview of any stage, without ever holding T x T.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/capture.h"
#include "core/progress.h"

namespace core {

/// The stages of the manual path. Scores, MaskedScores and Weights are (T, T): row = query, column = key.
/// Output is y = weights . v of the head, (T, D); Reassembled is all heads' y side by side, (T, C).
enum class Stage { Scores, MaskedScores, Weights, Output, Reassembled };

/// How an overview reduces a block of cells to one value.
enum class Reduction { Max, Mean };

struct MapRect {
  PositionRange rows;
  PositionRange columns;
  std::int64_t cells() const { return rows.size() * columns.size(); }
  friend bool operator==(const MapRect&, const MapRect&) = default;
};

/// A rectangle of values, row-major (rows, columns).
struct MapValues {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;
  float at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

/// Smallest and largest value over the visible cells of a map.
struct ValueRange {
  float low = 0;
  float high = 0;
};

/// Exact: equal to the whole manual map within 1e-6 (weights, and the others relative to their range).
/// May be used from any thread; the heavy calls (all but shape and mask) belong on a worker.
class AttentionMap {
 public:
  /// Errors: Mismatch when the head is not one of the model's.
  AttentionMap(std::shared_ptr<const Capture> capture, HeadId head);

  HeadId head() const { return m_head; }
  const Capture& capture() const { return *m_capture; }
  AttentionMask mask() const { return m_capture->mask(m_head.layer); }
  MapRect extent(Stage stage) const;  ///< the whole of a stage: (T, T), (T, D) or (T, C)

  /// Shape: (rect.rows, rect.columns). Masked cells are exactly 0 in Weights and -infinity in MaskedScores.
  /// Progress is reported between strips of rows. Errors: Mismatch when the rectangle is not inside extent(stage),
  /// Cancelled; here and in overview().
  MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const;

  /// Blocks of block x block cells of the rectangle reduced to one value each, the last ones smaller.
  /// Shape: (ceil(rows / block), ceil(columns / block)). Only visible cells count in MaskedScores and Weights (a mean
  /// is over the visible cells); a block with none is 0 in Weights and -infinity in MaskedScores. NaN wins.
  /// Memory grows with the result, not with the rectangle.
  MapValues overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                     const Progress& progress = {}) const;

  /// Over visible, finite cells; {0, 0} when there are none. Progress and errors as in overview().
  ValueRange range(Stage stage, const Progress& progress = {}) const;

 private:
  void requireInside(Stage stage, const MapRect& rect) const;  // throws Mismatch

  std::shared_ptr<const Capture> m_capture;
  HeadId m_head;
};

}  // namespace core
