// A set of keys (columns of a map): those that are hidden, those that a search found.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/attention_mask.h"

namespace core {

/// Immutable and cheap to copy.
class KeySet {
 public:
  KeySet() = default;
  explicit KeySet(std::vector<Position> keys);  ///< in any order; one that is named twice counts once

  bool empty() const { return !m_keys; }
  bool contains(Position key) const { return countIn({key, key + 1}) == 1; }
  std::int64_t countIn(const PositionRange& keys) const;
  bool coversAll(const PositionRange& keys) const { return keys.size() > 0 && countIn(keys) == keys.size(); }

  const std::vector<Position>& keys() const;  ///< ascending
  std::string text() const;                   ///< "0", "0-3", "0, 5, 9-12"; empty for none

  friend bool operator==(const KeySet& a, const KeySet& b) { return a.keys() == b.keys(); }

 private:
  std::shared_ptr<const std::vector<Position>> m_keys;  // null: none
};

}  // namespace core
