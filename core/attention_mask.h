// The rule of who may look at whom. This file alone decides visibility: the manual path, the flash path, tiles, counts
// and drawing ask it.
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

/// A mask over T queries (rows i) and T keys (columns j) as a rule, never a stored T x T array. Query i sees key j when
///   causal:         j <= i  and  i - j <= window.left
///   bidirectional:  |i - j| <= window.left
/// With a KV cache i is still the absolute position.
class AttentionMask {
 public:
  explicit AttentionMask(std::int64_t tokens, Window window = {}, MaskKind kind = MaskKind::Causal)
      : m_tokens(tokens), m_window(window), m_kind(kind) {}

  std::int64_t tokens() const { return m_tokens; }
  Window window() const { return m_window; }
  MaskKind kind() const { return m_kind; }

  /// Keys that query i sees: always one contiguous range, never empty for 0 <= i < T.
  PositionRange visibleKeys(Position i) const {
    const Position begin = m_window.left < i ? i - m_window.left : 0;
    if (m_kind == MaskKind::Causal) return {begin, std::min(i + 1, m_tokens)};
    return {begin, m_window.left < m_tokens - 1 - i ? i + m_window.left + 1 : m_tokens};
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

  /// Whether every cell of the rectangle is.
  bool allVisible(const PositionRange& rows, const PositionRange& columns) const {
    if (rows.size() <= 0 || columns.size() <= 0) return true;
    return visibleKeys(rows.end - 1).begin <= columns.begin && columns.end <= visibleKeys(rows.begin).end;
  }

  /// How many of the T x T cells are visible. T queries see 1, 2, ... n keys, then n each.
  std::int64_t visibleCells() const {
    const std::int64_t n = m_window.left < m_tokens ? m_window.left + 1 : m_tokens;
    const std::int64_t causal = n * (n + 1) / 2 + (m_tokens - n) * n;
    return m_kind == MaskKind::Causal ? causal : 2 * causal - m_tokens;  // the diagonal once
  }

 private:
  std::int64_t m_tokens;
  Window m_window;
  MaskKind m_kind;
};

}  // namespace core
