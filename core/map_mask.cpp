#include "core/map_mask.h"

#include <algorithm>

namespace core {

PositionRange MapMask::visibleKeys(const PositionRange& rows) const {
  if (m_rule) return m_rule->visibleKeys(rows);
  PositionRange all;
  for (Position row = rows.begin; row < rows.end; ++row) {
    const PositionRange keys = visibleKeys(row);
    if (keys.size() <= 0) continue;
    all = all.size() <= 0 ? keys : PositionRange{std::min(all.begin, keys.begin), std::max(all.end, keys.end)};
  }
  return all;
}

bool MapMask::anyVisible(const PositionRange& rows, const PositionRange& columns) const {
  if (m_rule) return m_rule->anyVisible(rows, columns);
  for (Position row = rows.begin; row < rows.end; ++row) {
    const PositionRange keys = visibleKeys(row);
    if (std::max(keys.begin, columns.begin) < std::min(keys.end, columns.end)) return true;
  }
  return false;
}

MapMask MapMask::either(const MapMask& a, const MapMask& b, std::int64_t rows) {
  std::vector<PositionRange> ranges;
  ranges.reserve(static_cast<std::size_t>(rows));
  for (Position row = 0; row < rows; ++row) {
    const PositionRange one = a.visibleKeys(row);
    const PositionRange other = b.visibleKeys(row);
    ranges.push_back(one.size() <= 0 ? other
                     : other.size() <= 0
                         ? one
                         : PositionRange{std::min(one.begin, other.begin), std::max(one.end, other.end)});
  }
  return MapMask(std::move(ranges));
}

}  // namespace core
