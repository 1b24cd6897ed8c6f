// Which cells of a map count: the attention mask's rule, or, where no rule says it, a range of columns for each row.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/map_values.h"

namespace core {

/// The cells that a masked stage has values for. In a row they are always one contiguous range.
class MapMask {
 public:
  MapMask(const AttentionMask& rule) : m_rule(rule) {}  // NOLINT: an attention mask is a map's mask

  /// rows: the visible columns of each row; an empty range is a row that sees nothing.
  explicit MapMask(std::vector<PositionRange> rows)
      : m_rows(std::make_shared<const std::vector<PositionRange>>(std::move(rows))) {}

  PositionRange visibleKeys(Position row) const {
    return m_rule ? m_rule->visibleKeys(row) : m_rows->at(static_cast<std::size_t>(row));
  }
  bool visible(Position row, Position column) const {
    const PositionRange keys = visibleKeys(row);
    return keys.begin <= column && column < keys.end;
  }

  /// The smallest range that holds what any of the rows sees; empty when none sees anything.
  PositionRange visibleKeys(const PositionRange& rows) const;

  /// Whether any cell of the rectangle is visible.
  bool anyVisible(const PositionRange& rows, const PositionRange& columns) const;

  /// A cell is visible when it is in one of the two. The ranges of a row must touch.
  static MapMask either(const MapMask& a, const MapMask& b, std::int64_t rows);

 private:
  std::optional<AttentionMask> m_rule;
  std::shared_ptr<const std::vector<PositionRange>> m_rows;
};

}  // namespace core
