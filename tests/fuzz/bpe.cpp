// Byte-pair encoding with any merges, of any text, beside the plain rule: of all neighbours that merge, those of the
// lowest rank first, the leftmost of equals; again until none does.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/token_label.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace core::tokenizer;
using core::TokenId;
using Pair = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kLongestToken = 64;

/// Takes the input from the front.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : m_bytes(bytes) {}
  std::size_t next() {
    const std::size_t value = m_bytes.empty() ? 0 : static_cast<unsigned char>(m_bytes.front());
    m_bytes.remove_prefix(m_bytes.empty() ? 0 : 1);
    return value;
  }
  std::string_view next(std::size_t count) {
    const std::string_view bytes = m_bytes.substr(0, count);
    m_bytes.remove_prefix(bytes.size());
    return bytes;
  }
  std::string_view rest() const { return m_bytes; }

 private:
  std::string_view m_bytes;
};

/// What the input asks for.
struct Rules {
  std::vector<std::string> tokens;                    ///< the first 256 are the bytes
  std::map<std::string, Symbol, std::less<>> longer;  ///< of two bytes and more; of equal ones the first
  std::map<Pair, Merge> merges;
  bool isLookedUp = false;
  bool isSplit = false;
  bool isByRank = false;

  std::optional<Symbol> idOf(std::string_view text) const {
    if (text.empty()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(text[0]);
    if (text.size() == 1) return tokens[byte].empty() ? std::nullopt : std::optional<Symbol>(byte);
    const auto found = longer.find(text);
    return found == longer.end() ? std::nullopt : std::optional(found->second);
  }

  Symbol add(const std::string& token) {
    tokens.push_back(token);
    const auto id = static_cast<Symbol>(tokens.size() - 1);
    longer.emplace(token, id);
    return id;
  }
};

/// All bytes but one in some inputs, which has no token then.
std::vector<std::string> byteTokens(Bytes& input, bool lacksOne) {
  const std::size_t lacking = lacksOne ? input.next() : 256;
  std::vector<std::string> tokens;
  for (std::size_t byte = 0; byte < 256; ++byte)
    tokens.push_back(byte == lacking ? std::string() : std::string(1, static_cast<char>(byte)));
  return tokens;
}

/// Merges of any two tokens before them, the same two again too. What they spell may be a token already: most of them
/// make that one, some a second of the same bytes.
void readMerges(Bytes& input, std::size_t count, Rules& rules) {
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    const std::size_t far = input.next();
    const std::size_t left = (input.next() + 256 * (far % 8)) % rules.tokens.size();
    const std::size_t right = (input.next() + 256 * (far / 8 % 4)) % rules.tokens.size();
    const std::string token = rules.tokens[left] + rules.tokens[right];
    if (rules.tokens[left].empty() || rules.tokens[right].empty() || token.size() > kLongestToken) continue;
    const auto known = far / 32 == 0 ? rules.idOf(token) : std::nullopt;
    rules.merges[{left, right}] = {rank, known ? *known : rules.add(token)};
  }
}

/// Tokens of any bytes, each once; what two of them spell is a merge.
void readRanks(Bytes& input, std::size_t count, Rules& rules) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = 2 + input.next() % 6;
    const std::string token(input.next(length));
    if (token.size() == length && !rules.idOf(token)) rules.add(token);
  }
  for (const auto& [token, id] : rules.longer) {
    for (std::size_t cut = 1; cut < token.size(); ++cut) {
      const auto left = rules.idOf(std::string_view(token).substr(0, cut));
      const auto right = rules.idOf(std::string_view(token).substr(cut));
      if (left && right) rules.merges[{*left, *right}] = {id, id};
    }
  }
}

Rules readRules(Bytes& input) {
  const std::size_t kind = input.next();
  Rules rules;
  rules.isLookedUp = kind % 2 == 1;
  rules.isSplit = kind / 2 % 2 == 1;
  rules.isByRank = kind / 4 % 2 == 1;
  rules.tokens = byteTokens(input, kind / 8 % 2 == 1);
  const std::size_t count = input.next();
  if (rules.isByRank) {
    readRanks(input, count, rules);
  } else {
    readMerges(input, count, rules);
  }
  return rules;
}

/// Compiled once.
const Pretokenizer& gpt2Pieces() {
  static const Pretokenizer kPieces({gpt2Split()});
  return kPieces;
}

std::shared_ptr<const Tokenizer> tokenizerOf(const Rules& rules) {
  ByteBpeParts parts;
  parts.tokens = rules.tokens;
  if (rules.isLookedUp) parts.wholePieces = WholePieces::LookedUp;
  if (rules.isSplit) parts.pretokenizer = gpt2Pieces();
  if (rules.isByRank) {
    const auto merges = mergesByRank(rules.tokens);
    fuzz::require(merges && merges->size() == rules.merges.size(), "ranks have as many merges as the plain rule finds");
    parts.merges = *merges;
  } else {
    for (const auto& [pair, merge] : rules.merges)
      parts.merges.set(static_cast<Symbol>(pair.first), static_cast<Symbol>(pair.second), merge);
  }
  return makeByteBpe(std::move(parts));
}

/// The plain rule, for one piece.
void addPlainly(std::string_view piece, const Rules& rules, std::vector<TokenId>& ids) {
  const auto whole = rules.isLookedUp ? rules.idOf(piece) : std::nullopt;
  if (whole) return ids.push_back(*whole);
  std::vector<std::size_t> symbols;
  for (const char byte : piece) {
    const std::size_t id = static_cast<unsigned char>(byte);
    if (!rules.tokens[id].empty()) symbols.push_back(id);
  }
  for (;;) {
    const Merge* best = nullptr;
    std::size_t at = 0;
    for (std::size_t i = 1; i < symbols.size(); ++i) {
      const auto found = rules.merges.find({symbols[i - 1], symbols[i]});
      if (found == rules.merges.end() || (best != nullptr && best->rank <= found->second.rank)) continue;
      best = &found->second;
      at = i;
    }
    if (best == nullptr) break;
    symbols[at - 1] = best->merged;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at));
  }
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes input(fuzz::textOf(data, size));
  const Rules rules = readRules(input);
  const std::string_view text = input.rest();
  const auto tokenizer = tokenizerOf(rules);
  const std::vector<TokenId> ids = tokenizer->encode(text).ids;

  std::vector<TokenId> plain;
  if (rules.isSplit) {
    gpt2Pieces().split(text, [&](std::string_view piece) { addPlainly(piece, rules, plain); });
  } else {
    addPlainly(text, rules, plain);
  }
  fuzz::require(ids == plain, "the ids are those of the plain rule");

  std::string decoded;
  std::vector<std::string> bytes;
  for (const TokenId id : ids) {
    fuzz::require(id >= 0 && id < tokenizer->size(), "an id is one of the vocabulary");
    bytes.push_back(tokenizer->bytes(id));
    decoded += bytes.back();
  }
  // A byte without a token is left out, but where its piece is a token as it stands.
  std::string expected(text);
  for (std::string* spelled : {&decoded, &expected})
    std::erase_if(*spelled, [&](char byte) { return rules.tokens[static_cast<unsigned char>(byte)].empty(); });
  fuzz::require(decoded == expected, "the tokens spell the text");
  for (const core::TokenText& label : labelTokens(ids, bytes)) fuzz::require(!label.label.empty(), "a label is seen");
  return 0;
}
