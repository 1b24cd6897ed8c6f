// Computed parts of maps, the least recently used ones forgotten beyond a number of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "core/map_source.h"
#include "core/value_ranks.h"

namespace widgets {

/// Values, or blocks, in each direction of a tile.
constexpr std::int64_t kTileSize = 256;

/// Names one computed part of a map.
struct TileKey {
  /// Range: (1, 2), low and high of the stage. Ranks: what a scale by percentile needs.
  /// RowRanges: (rows, 2), low and high of each of kTileSize queries.
  /// Values: kTileSize x kTileSize blocks of 2^level cells, less at the end.
  enum class Kind { Range, Ranks, RowRanges, Values };
  Kind kind = Kind::Values;
  std::uint32_t map = 0;  ///< a number for each MapSource::identity() that a view has shown
  core::Stage stage = core::Stage::Weights;
  core::Reduction reduction = core::Reduction::Max;
  int level = 0;
  std::int64_t row = 0;  ///< of tiles, not of cells
  std::int64_t column = 0;
  friend auto operator<=>(const TileKey&, const TileKey&) = default;
};

struct TileData : core::MapValues {
  std::shared_ptr<const core::ValueRanks> ranks = nullptr;  ///< of Kind::Ranks
  std::size_t bytes() const { return values.size() * sizeof(float) + (ranks ? ranks->bytes() : 0); }
};
using Tile = std::shared_ptr<const TileData>;

class TileCache {
 public:
  explicit TileCache(std::size_t budget) : m_budget(budget) {}

  Tile find(const TileKey& key);  ///< null when absent; else it is the most recently used one now
  bool contains(const TileKey& key) const { return m_index.contains(key); }
  void insert(const TileKey& key, Tile tile);  ///< the newest stays even when it alone is over the budget
  void clear();

  std::size_t bytes() const { return m_bytes; }
  std::size_t budget() const { return m_budget; }

 private:
  struct Entry {
    TileKey key;
    Tile tile;
  };
  std::size_t m_budget;
  std::size_t m_bytes = 0;
  std::list<Entry> m_entries;  // most recently used first
  std::map<TileKey, std::list<Entry>::iterator> m_index;
};

}  // namespace widgets
