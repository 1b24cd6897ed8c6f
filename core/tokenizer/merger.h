// The merge loop of byte-pair encoding.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "core/ids.h"
#include "core/tokenizer/merge_table.h"

namespace core::tokenizer {

/// Merges one piece after another; keeps its working memory between them.
class Merger {
 public:
  explicit Merger(const MergeTable& merges) : m_merges(merges) {}

  /// Symbols of one piece, in order.
  void add(Symbol symbol);
  /// Merges what was added, best first, the leftmost of equals, and appends what is left to ids: n log n in the length,
  /// also for a piece of a million letters. A queued merge whose symbols have changed since is passed over.
  void finish(std::vector<TokenId>& ids);

  /// Merges that were looked at so far: the work, for tests that it grows with the length and not with its square.
  std::uint64_t steps() const { return m_steps; }

 private:
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place{0};

  struct Node {
    Symbol symbol;  // kNoSymbol: merged into the symbol on its left
    Place previous;
    Place next;
  };
  struct Candidate {
    Merge merge;
    Place left;
    Symbol leftSymbol;
    Symbol rightSymbol;
    bool operator>(const Candidate& other) const {
      return merge.rank != other.merge.rank ? merge.rank > other.merge.rank : left > other.left;
    }
  };

  void consider(Place left);

  const MergeTable& m_merges;
  std::vector<Node> m_nodes;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> m_queue;
  std::uint64_t m_steps = 0;
};

}  // namespace core::tokenizer
