#include "core/tokenizer/byte_bpe.h"

#include <algorithm>
#include <array>
#include <queue>
#include <stdexcept>
#include <unordered_map>

#include "core/tokenizer/pretokenizer.h"
#include "core/tokenizer/utf8.h"

extern "C" const char headscopeGpt2Merges[];
extern "C" const char headscopeGpt2MergesEnd[];

namespace core::tokenizer {

namespace {

using Symbol = std::uint32_t;  // a token id

constexpr std::string_view kEndOfText = "<|endoftext|>";

/// GPT-2 writes bytes as letters: printable Latin-1 as itself, the others as U+0100 and up. Ids follow that order too.
/// Source: OpenAI gpt-2, encoder.py, bytes_to_unicode.
struct ByteAlphabet {
  std::array<Symbol, 256> symbolOf{};           ///< by byte
  std::array<unsigned char, 256> byteOf{};      ///< by symbol
  std::array<unsigned char, 0x180> byLetter{};  ///< byte by code point

  ByteAlphabet() {
    Symbol next = 0;
    char32_t other = 0x100;
    const auto printable = [](unsigned byte) { return (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173); };
    const auto add = [&](unsigned byte, char32_t letter) {
      symbolOf[byte] = next;
      byteOf[next++] = static_cast<unsigned char>(byte);
      byLetter[letter] = static_cast<unsigned char>(byte);
    };
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (printable(byte)) add(byte, byte);
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (!printable(byte)) add(byte, other++);
    }
  }

  std::string decode(std::string_view letters) const {
    std::string bytes;
    for (std::size_t i = 0; i < letters.size();) {
      const CodePoint letter = codePointAt(letters, i);
      bytes.push_back(static_cast<char>(byLetter.at(letter.value)));
      i += letter.length;
    }
    return bytes;
  }
};

constexpr std::uint64_t pairKey(Symbol left, Symbol right) { return (std::uint64_t{left} << 32) | right; }

class ByteBpe final : public Tokenizer {
 public:
  explicit ByteBpe(std::string_view merges);

  Encoding encode(std::string_view text) const override {
    Encoding encoding;
    Merger merger(*this);
    m_pretokenizer.split(text, [&](std::string_view piece) { merger.encode(piece, encoding.ids); });
    return encoding;
  }

  std::string bytes(TokenId id) const override {
    return id >= 0 && id < size() ? m_tokens[static_cast<std::size_t>(id)] : std::string();
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_tokens.size()); }
  std::string description() const override { return "GPT-2 byte-level BPE"; }

 private:
  /// Merges one piece after another; keeps its working memory between them.
  class Merger {
   public:
    explicit Merger(const ByteBpe& bpe) : m_bpe(bpe) {}
    void encode(std::string_view piece, std::vector<TokenId>& ids);

   private:
    using Place = std::uint32_t;
    static constexpr Place kNone = ~Place{0};
    static constexpr Symbol kGone = ~Symbol{0};  // merged into the symbol on its left

    struct Node {
      Symbol symbol;
      Place previous;
      Place next;
    };
    struct Candidate {
      Symbol merged;  // also the rank: a merge that comes earlier in the table has the smaller id
      Place left;
      Symbol leftSymbol;
      Symbol rightSymbol;
      bool operator>(const Candidate& other) const {
        return merged != other.merged ? merged > other.merged : left > other.left;
      }
    };

    void consider(Place left);

    const ByteBpe& m_bpe;
    std::vector<Node> m_nodes;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> m_queue;
  };

  ByteAlphabet m_alphabet;
  Pretokenizer m_pretokenizer;
  std::vector<std::string> m_tokens;                   // bytes by id
  std::unordered_map<std::uint64_t, Symbol> m_merges;  // (left, right) -> the token they make
};

/// merges: vocab.bpe, a "#version" line and then "left right" in the byte alphabet, a line each, best first.
ByteBpe::ByteBpe(std::string_view merges) {
  std::unordered_map<std::string, Symbol> ids;
  const auto add = [&](std::string bytes) {
    const auto id = static_cast<Symbol>(m_tokens.size());
    ids.emplace(bytes, id);
    m_tokens.push_back(std::move(bytes));
    return id;
  };
  for (const unsigned char byte : m_alphabet.byteOf) add(std::string(1, static_cast<char>(byte)));

  constexpr std::size_t kMerges = 50'000;
  m_tokens.reserve(m_alphabet.byteOf.size() + kMerges + 1);
  ids.reserve(m_tokens.capacity());
  m_merges.reserve(kMerges);
  for (std::size_t at = 0; at < merges.size();) {
    const std::size_t end = std::min(merges.find('\n', at), merges.size());
    const std::string_view line = merges.substr(at, end - at);
    at = end + 1;
    const std::size_t space = line.find(' ');
    if (line.starts_with("#version") || space == std::string_view::npos) continue;
    const std::string left = m_alphabet.decode(line.substr(0, space));
    const std::string right = m_alphabet.decode(line.substr(space + 1));
    m_merges.emplace(pairKey(ids.at(left), ids.at(right)), add(left + right));
  }
  if (m_merges.size() != kMerges) throw std::logic_error("the built-in merge table is damaged");
  m_tokens.emplace_back(kEndOfText);
}

void ByteBpe::Merger::consider(Place left) {
  const Place right = m_nodes[left].next;
  if (right == kNone) return;
  const Symbol a = m_nodes[left].symbol;
  const Symbol b = m_nodes[right].symbol;
  const auto found = m_bpe.m_merges.find(pairKey(a, b));
  if (found != m_bpe.m_merges.end()) m_queue.push({found->second, left, a, b});
}

/// Best merge first, the leftmost of equals: n log n in the length, also for a piece of a million letters.
/// A queued merge whose symbols have changed since is passed over.
void ByteBpe::Merger::encode(std::string_view piece, std::vector<TokenId>& ids) {
  m_nodes.clear();
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const auto place = static_cast<Place>(i);
    const Symbol symbol = m_bpe.m_alphabet.symbolOf[static_cast<unsigned char>(piece[i])];
    m_nodes.push_back({symbol, place - 1, i + 1 < piece.size() ? place + 1 : kNone});
  }
  for (Place place = 0; place < m_nodes.size(); ++place) consider(place);

  while (!m_queue.empty()) {
    const Candidate best = m_queue.top();
    m_queue.pop();
    Node& left = m_nodes[best.left];
    if (left.symbol != best.leftSymbol || left.next == kNone || m_nodes[left.next].symbol != best.rightSymbol) continue;
    Node& right = m_nodes[left.next];
    left.symbol = best.merged;
    left.next = right.next;
    right.symbol = kGone;
    if (left.next != kNone) m_nodes[left.next].previous = best.left;
    if (left.previous != kNone) consider(left.previous);
    consider(best.left);
  }
  for (Place place = m_nodes.empty() ? kNone : 0; place != kNone; place = m_nodes[place].next) {
    ids.push_back(m_nodes[place].symbol);
  }
}

}  // namespace

std::shared_ptr<const Tokenizer> gpt2Tokenizer() {
  static const std::shared_ptr<const Tokenizer> tokenizer = std::make_shared<ByteBpe>(
      std::string_view(headscopeGpt2Merges, static_cast<std::size_t>(headscopeGpt2MergesEnd - headscopeGpt2Merges)));
  return tokenizer;
}

}  // namespace core::tokenizer
