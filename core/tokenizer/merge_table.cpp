#include "core/tokenizer/merge_table.h"

#include <string_view>
#include <unordered_map>
#include <utility>

namespace core::tokenizer {

std::size_t MergeTable::placeOf(Symbol left, Symbol right) const {
  const std::uint64_t key = (std::uint64_t{left} << 32) | right;
  const std::size_t mask = m_places.size() - 1;
  // Fibonacci hashing; the upper half of the product is the mixed one.
  std::size_t place = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 32) & mask;
  while (m_places[place].merge.merged != kNoSymbol &&
         (m_places[place].left != left || m_places[place].right != right)) {
    place = (place + 1) & mask;
  }
  return place;
}

void MergeTable::grow() {
  std::vector<Place> old = std::exchange(m_places, std::vector<Place>(m_places.empty() ? 512 : 2 * m_places.size()));
  for (const Place& place : old) {
    if (place.merge.merged != kNoSymbol) m_places[placeOf(place.left, place.right)] = place;
  }
}

void MergeTable::set(Symbol left, Symbol right, Merge merge) {
  if (2 * (m_size + 1) > m_places.size()) grow();
  Place& place = m_places[placeOf(left, right)];
  if (place.merge.merged == kNoSymbol) ++m_size;
  place = {left, right, merge};
}

const Merge* MergeTable::find(Symbol left, Symbol right) const {
  if (m_places.empty()) return nullptr;
  const Place& place = m_places[placeOf(left, right)];
  return place.merge.merged == kNoSymbol ? nullptr : &place.merge;
}

std::optional<MergeTable> mergesByRank(const std::vector<std::string>& tokens) {
  constexpr std::size_t kMostWork = std::size_t{1} << 28;  // bytes hashed; a vocabulary of 200,000 tokens has 2^25
  std::unordered_map<std::string_view, Symbol> ids;
  ids.reserve(tokens.size());
  std::size_t work = 0;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    if (tokens[id].empty()) continue;
    work += tokens[id].size() * tokens[id].size();  // no file has a token of 2^32 bytes
    if (work > kMostWork) return std::nullopt;
    ids.emplace(tokens[id], static_cast<Symbol>(id));
  }
  MergeTable merges;
  for (const auto& [token, id] : ids) {
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      const auto left = ids.find(token.substr(0, cut));
      if (left == ids.end()) continue;
      const auto right = ids.find(token.substr(cut));
      if (right == ids.end()) continue;
      merges.set(left->second, right->second, {id, id});
      if (merges.size() > kMostMerges) return std::nullopt;
    }
  }
  return merges;
}

}  // namespace core::tokenizer
