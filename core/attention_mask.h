// The rule of who may look at whom. This file alone decides visibility: the manual path, tiles, counts and drawing ask
// it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ids.h"
#include "core/window_pattern.h"

namespace core {

/// Half-open range of positions.
struct PositionRange {
  Position begin = 0;
  Position end = 0;
  std::int64_t size() const { return end - begin; }
  friend bool operator==(const PositionRange&, const PositionRange&) = default;
};

/// A mask over T queries (rows i) and T keys (columns j) as a rule, never a stored T x T array.
/// Causal with a window: key j is visible to query i when j <= i and i - j <= window.left.
class AttentionMask {
 public:
  explicit AttentionMask(std::int64_t tokens, Window window = {}) : m_tokens(tokens), m_window(window) {}

  std::int64_t tokens() const { return m_tokens; }
  Window window() const { return m_window; }

  /// Keys that query i sees: always one contiguous range, never empty for 0 <= i < T.
  PositionRange visibleKeys(Position i) const {
    return {m_window.left < i ? i - m_window.left : 0, std::min(i + 1, m_tokens)};
  }

  bool visible(Position i, Position j) const {
    const PositionRange keys = visibleKeys(i);
    return keys.begin <= j && j < keys.end;
  }

  /// Keys that some query of the rows sees: one contiguous range too.
  PositionRange visibleKeys(const PositionRange& rows) const {
    return {visibleKeys(rows.begin).begin, visibleKeys(rows.end - 1).end};
  }

  /// Whether any cell of the rectangle rows x columns is visible.
  bool anyVisible(const PositionRange& rows, const PositionRange& columns) const {
    if (rows.size() <= 0 || columns.size() <= 0) return false;
    const PositionRange keys = visibleKeys(rows);
    return keys.begin < columns.end && columns.begin < keys.end;
  }

 private:
  std::int64_t m_tokens;
  Window m_window;
};

}  // namespace core
