// The rule of who may look at whom. This file alone decides visibility: the manual path, tiles, counts and drawing ask
// it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ids.h"

namespace core {

/// Half-open range of positions.
struct PositionRange {
  Position begin = 0;
  Position end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// A mask over T queries (rows i) and T keys (columns j) as a rule, never a stored T x T array.
/// Causal: key j is visible to query i when j <= i.
class AttentionMask {
 public:
  explicit AttentionMask(std::int64_t tokens) : m_tokens(tokens) {}

  std::int64_t tokens() const { return m_tokens; }

  /// Keys that query i sees: always one contiguous range, never empty for 0 <= i < T.
  PositionRange visibleKeys(Position i) const { return {0, std::min(i + 1, m_tokens)}; }

  bool visible(Position i, Position j) const {
    const PositionRange keys = visibleKeys(i);
    return keys.begin <= j && j < keys.end;
  }

  /// Whether any cell of the rectangle rows x columns is visible.
  bool anyVisible(const PositionRange& rows, const PositionRange& columns) const {
    return rows.size() > 0 && columns.size() > 0 && visible(rows.end - 1, columns.begin);
  }

 private:
  std::int64_t m_tokens;
};

}  // namespace core
