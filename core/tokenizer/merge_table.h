// Which two tokens make a third, and how early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core::tokenizer {

using Symbol = std::uint32_t;  ///< a token id
inline constexpr Symbol kNoSymbol = ~Symbol{0};

struct Merge {
  std::uint32_t rank;  ///< the smallest comes first
  Symbol merged;
};

/// A hash table of 16 bytes a place: vocabularies have up to half a million merges.
class MergeTable {
 public:
  /// A pair that is there already gets the new rank, as upstream's tables do.
  void set(Symbol left, Symbol right, Merge merge);
  /// Null when the two don't merge.
  const Merge* find(Symbol left, Symbol right) const;
  std::size_t size() const { return m_size; }

 private:
  struct Place {
    Symbol left = kNoSymbol;
    Symbol right = kNoSymbol;
    Merge merge{0, kNoSymbol};  // merged == kNoSymbol: free
  };
  std::size_t placeOf(Symbol left, Symbol right) const;
  void grow();

  std::vector<Place> m_places;  // a power of two of them, or none
  std::size_t m_size = 0;
};

/// More is no vocabulary, and would take more memory than a refused file may.
inline constexpr std::size_t kMostMerges = 2'000'000;

/// The merges of a table that has only ranks (tiktoken): any two tokens which together spell a third make it, and its
/// id is the rank. tokens: bytes by id, empty where there is none.
/// Nothing when there are more than kMostMerges, or tokens so long that looking for them takes seconds.
std::optional<MergeTable> mergesByRank(const std::vector<std::string>& tokens);

}  // namespace core::tokenizer
