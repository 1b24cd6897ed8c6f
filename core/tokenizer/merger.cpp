#include "core/tokenizer/merger.h"

namespace core::tokenizer {

void Merger::add(Symbol symbol) {
  const auto place = static_cast<Place>(m_nodes.size());
  if (place > 0) m_nodes.back().next = place;
  m_nodes.push_back({symbol, place - 1, kNone});  // the first one's previous is kNone
}

void Merger::consider(Place left) {
  const Place right = m_nodes[left].next;
  if (right == kNone) return;
  const Symbol a = m_nodes[left].symbol;
  const Symbol b = m_nodes[right].symbol;
  if (const Merge* merge = m_merges.find(a, b)) m_queue.push({*merge, left, a, b});
}

void Merger::finish(std::vector<TokenId>& ids) {
  for (Place place = 0; place < m_nodes.size(); ++place) consider(place);
  while (!m_queue.empty()) {
    ++m_steps;
    const Candidate best = m_queue.top();
    m_queue.pop();
    Node& left = m_nodes[best.left];
    if (left.symbol != best.leftSymbol || left.next == kNone || m_nodes[left.next].symbol != best.rightSymbol) continue;
    Node& right = m_nodes[left.next];
    left.symbol = best.merge.merged;
    left.next = right.next;
    right.symbol = kNoSymbol;
    if (left.next != kNone) m_nodes[left.next].previous = best.left;
    if (left.previous != kNone) consider(left.previous);
    consider(best.left);
  }
  for (Place place = m_nodes.empty() ? kNone : 0; place != kNone; place = m_nodes[place].next) {
    ids.push_back(static_cast<TokenId>(m_nodes[place].symbol));
  }
  m_nodes.clear();
}

}  // namespace core::tokenizer
