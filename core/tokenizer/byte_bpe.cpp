#include "core/tokenizer/byte_bpe.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "core/tokenizer/merger.h"
#include "core/tokenizer/token_label.h"

namespace core::tokenizer {

namespace {

class ByteBpe final : public Tokenizer {
 public:
  explicit ByteBpe(ByteBpeParts parts);

  Encoding encode(std::string_view text, Specials specials) const override;

  std::string bytes(TokenId id) const override {
    if (const auto found = m_parts.spelled.find(id); found != m_parts.spelled.end()) return found->second;
    return id >= 0 && id < size() ? m_parts.tokens[static_cast<std::size_t>(id)] : std::string();
  }

  std::vector<TokenId> specials() const override { return m_parts.specials; }
  std::vector<TokenId> prefix() const override { return m_parts.prefix; }
  std::int64_t size() const override { return static_cast<std::int64_t>(m_parts.tokens.size()); }
  std::string description() const override { return m_parts.description; }

 private:
  /// One text's way to ids.
  struct Work {
    explicit Work(const MergeTable& merges) : merger(merges) {}
    Encoding encoding;
    Merger merger;
    std::unordered_set<std::string> missing;
  };

  void encodePiece(std::string_view piece, Work& work) const;
  void addSymbolsOf(std::string_view piece, Work& work) const;

  ByteBpeParts m_parts;
  AddedTokens m_raw;         // looked for in the text as it is
  AddedTokens m_normalized;  // looked for in what is left, normalized
  AddedTokens m_specials;    // looked for before all others, where that is asked for
  std::array<Symbol, 256> m_bytes;
  std::unordered_map<std::string_view, Symbol> m_whole;  // into m_parts.tokens; only when pieces are looked up
};

ByteBpe::ByteBpe(ByteBpeParts parts) : m_parts(std::move(parts)) {
  std::vector<AddedToken> raw, normal;
  for (AddedToken& token : m_parts.added) {
    if (token.normalized) token.content = normalized(token.content, m_parts.normalSteps);
    (token.normalized ? normal : raw).push_back(std::move(token));
  }
  m_parts.added.clear();
  m_raw = AddedTokens(std::move(raw));
  m_normalized = AddedTokens(std::move(normal));
  std::vector<AddedToken> specials;
  for (const TokenId id : m_parts.specials) specials.push_back({.id = id, .content = m_parts.spelled.at(id)});
  m_specials = AddedTokens(std::move(specials));

  m_bytes.fill(kNoSymbol);
  for (std::size_t id = 0; id < m_parts.tokens.size(); ++id) {
    const std::string& token = m_parts.tokens[id];
    if (token.size() == 1) m_bytes[static_cast<unsigned char>(token[0])] = static_cast<Symbol>(id);
    if (m_parts.wholePieces == WholePieces::LookedUp && !token.empty()) m_whole.emplace(token, static_cast<Symbol>(id));
  }
}

Encoding ByteBpe::encode(std::string_view text, Specials specials) const {
  Work work(m_parts.merges);
  const auto token = [&](TokenId id) { work.encoding.ids.push_back(id); };
  const auto pieces = [&](std::string_view rest) {
    m_parts.pretokenizer.split(rest, [&](std::string_view piece) { encodePiece(piece, work); });
  };
  const auto normalize = [&](std::string_view raw) {
    const std::string changed = m_parts.normalSteps.empty() ? std::string() : normalized(raw, m_parts.normalSteps);
    const std::string_view normal = m_parts.normalSteps.empty() ? raw : changed;
    m_normalized.split(normal, token, [&](std::string_view rest) {
      if (!m_parts.metaspace) return pieces(rest);
      const bool begins = raw.data() == text.data() && rest.data() == normal.data();
      pieces(marked(rest, begins ? PieceOfText::First : PieceOfText::Later, *m_parts.metaspace));
    });
  };
  const auto ordinary = [&](std::string_view part) { m_raw.split(part, token, normalize); };
  if (specials == Specials::Tokens) {
    m_specials.split(text, token, ordinary);
  } else {
    ordinary(text);
  }
  return std::move(work.encoding);
}

void ByteBpe::encodePiece(std::string_view piece, Work& work) const {
  if (const auto whole = m_whole.find(piece); whole != m_whole.end()) {
    work.encoding.ids.push_back(static_cast<TokenId>(whole->second));
    return;
  }
  addSymbolsOf(piece, work);
  work.merger.finish(work.encoding.ids);
}

void ByteBpe::addSymbolsOf(std::string_view piece, Work& work) const {
  const auto missing = [&](std::string_view text) {
    if (work.missing.emplace(text).second) work.encoding.notEncodable.push_back(visibleText(text));
  };
  if (m_parts.characters) return addSymbols(piece, *m_parts.characters, work.merger, missing);
  for (const char& byte : piece) {
    const Symbol symbol = m_bytes[static_cast<unsigned char>(byte)];
    if (symbol == kNoSymbol) {
      missing({&byte, 1});
    } else {
      work.merger.add(symbol);
    }
  }
}

}  // namespace

std::shared_ptr<const Tokenizer> makeByteBpe(ByteBpeParts parts) { return std::make_shared<ByteBpe>(std::move(parts)); }

}  // namespace core::tokenizer
