// What maps are made of: stages, rectangles of cells, their values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention_mask.h"
#include "core/ids.h"

namespace core {

/// The stages of the manual path. Scores, MaskedScores and Weights are (T, T): row = query, column = key.
/// Output is y = weights . v of the head, (T, D); Reassembled is all heads' y side by side, (T, C).
enum class Stage { Scores, MaskedScores, Weights, Output, Reassembled };

/// Whether the columns of a stage are keys.
constexpr bool hasKeys(Stage stage) { return stage != Stage::Output && stage != Stage::Reassembled; }

/// Whether a stage is from after the mask, so that cells that the mask hides have no value there.
constexpr bool isMasked(Stage stage) { return stage == Stage::MaskedScores || stage == Stage::Weights; }

/// How an overview reduces a block of cells to one value. MaxMagnitude: the value that is farthest from 0, with its
/// sign; made for differences.
enum class Reduction { Max, Mean, MaxMagnitude };

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

/// Smallest and largest value over the cells of a map that count.
struct ValueRange {
  float low = 0;
  float high = 0;
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// The rows of a map whose weights do not sum to 1. A weight is exp(score - lse), so they are those whose lse is not
/// finite: a score of theirs is NaN or infinite, or they see no key.
struct BrokenRows {
  std::int64_t count = 0;
  Position first = 0;  ///< this and lse mean nothing when there are none
  float lse = 0;       ///< of the first: NaN or infinite
};

}  // namespace core
