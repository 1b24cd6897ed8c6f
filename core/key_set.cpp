#include "core/key_set.h"

#include <algorithm>

namespace core {

KeySet::KeySet(std::vector<Position> keys) {
  if (keys.empty()) return;
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  m_keys = std::make_shared<const std::vector<Position>>(std::move(keys));
}

const std::vector<Position>& KeySet::keys() const {
  static const std::vector<Position> none;
  return m_keys ? *m_keys : none;
}

std::int64_t KeySet::countIn(const PositionRange& range) const {
  if (!m_keys || range.size() <= 0) return 0;
  const auto begin = std::lower_bound(m_keys->begin(), m_keys->end(), range.begin);
  return std::lower_bound(begin, m_keys->end(), range.end) - begin;
}

std::string KeySet::text() const {
  std::string text;
  const std::vector<Position>& all = keys();
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1] == all[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(all[i]);
    if (last > i) text += "-" + std::to_string(all[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace core
