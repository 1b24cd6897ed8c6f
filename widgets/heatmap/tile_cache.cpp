#include "widgets/heatmap/tile_cache.h"

namespace widgets {

Tile TileCache::find(const TileKey& key) {
  const auto found = m_index.find(key);
  if (found == m_index.end()) return nullptr;
  m_entries.splice(m_entries.begin(), m_entries, found->second);
  return found->second->tile;
}

void TileCache::insert(const TileKey& key, Tile tile) {
  if (const auto old = m_index.find(key); old != m_index.end()) {
    m_bytes -= old->second->tile->bytes();
    m_entries.erase(old->second);
    m_index.erase(old);
  }
  m_bytes += tile->bytes();
  m_entries.push_front({key, std::move(tile)});
  m_index.emplace(key, m_entries.begin());
  while (m_bytes > m_budget && m_entries.size() > 1) {
    m_bytes -= m_entries.back().tile->bytes();
    m_index.erase(m_entries.back().key);
    m_entries.pop_back();
  }
}

void TileCache::clear() {
  m_entries.clear();
  m_index.clear();
  m_bytes = 0;
}

}  // namespace widgets
