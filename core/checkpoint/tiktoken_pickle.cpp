#include "core/checkpoint/tiktoken_pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/pattern_dialect.h"

namespace core::checkpoint {

namespace {

using pickle::Kind;
using pickle::Value;

constexpr std::string_view kBeginning = "<|bos|>";

const Value& require(const Value& state, std::string_view key, Kind kind, const char* wanted,
                     const std::string& origin) {
  const Value* found = pickle::find(state, key);
  if (found != nullptr && found->kind == kind) return *found;
  throw tokenizerError(ErrorKind::Corrupt, origin,
                       found == nullptr
                           ? fmt::format("{} is missing in the encoding", inQuotes(key))
                           : fmt::format("{} is {}, not {}", inQuotes(key), pickle::describe(*found), wanted));
}

/// Tokens as they are found, each id and each spelling once.
class Table {
 public:
  explicit Table(const std::string& origin) : m_origin(origin) {}

  std::size_t add(const Value& token, const Value& id, Kind kind) {
    const auto corrupt = [&](const std::string& what) { return tokenizerError(ErrorKind::Corrupt, m_origin, what); };
    if (token.kind != kind || token.text.empty()) {
      throw corrupt(fmt::format("a token is {}, not {}", pickle::describe(token),
                                kind == Kind::Bytes ? "one or more bytes" : "a text"));
    }
    if (id.kind != Kind::Int || id.integer < 0) {
      throw corrupt(fmt::format("the id of the token {} is {}, not a whole number from 0", inQuotes(token.text),
                                pickle::describe(id)));
    }
    if (id.integer >= kMostTokenIds) {
      throw tokenizerError(ErrorKind::TooLarge, m_origin,
                           fmt::format("the token {} has the id {}; ids up to {} are read", inQuotes(token.text),
                                       grouped(id.integer), grouped(kMostTokenIds - 1)));
    }
    const auto index = static_cast<std::size_t>(id.integer);
    if (index >= m_taken.size()) m_taken.resize(index + 1);
    if (m_taken[index]) {
      throw corrupt(fmt::format("the token {} has the id {}, which another token has too", inQuotes(token.text),
                                grouped(id.integer)));
    }
    m_taken[index] = true;
    return index;
  }

  std::size_t size() const { return m_taken.size(); }

 private:
  const std::string& m_origin;
  std::vector<bool> m_taken;
};

void requireAllBytes(const std::vector<std::string>& tokens, const std::string& origin) {
  std::vector<bool> known(256);
  for (const std::string& token : tokens) {
    if (token.size() == 1) known[static_cast<unsigned char>(token[0])] = true;
  }
  const auto missing = std::find(known.begin(), known.end(), false);
  if (missing == known.end()) return;
  throw tokenizerError(ErrorKind::Corrupt, origin,
                       fmt::format("'mergeable_ranks' has no token for the byte 0x{:02x}, and every byte needs one",
                                   missing - known.begin()));
}

std::shared_ptr<const tokenizer::Tokenizer> byName(std::string_view name, const std::string& origin) {
  if (name == "gpt2" || name == "r50k_base") return tokenizer::gpt2Tokenizer();
  throw Error(
      ErrorKind::Unsupported,
      fmt::format("{}: it holds only the name of an encoding, {}, whose table comes with tiktoken; only those of "
                  "'gpt2' and 'r50k_base' are built in. Save one with the table in it: make a "
                  "tiktoken.Encoding of another name from its _pat_str, _mergeable_ranks and _special_tokens, "
                  "and pickle that.",
                  origin, inQuotes(name)));
}

}  // namespace

bool isTiktoken(const Value& value) {
  const std::string_view name = pickle::callee(value);
  return name == "tiktoken.core.Encoding" || name == "tiktoken.Encoding";
}

std::shared_ptr<const tokenizer::Tokenizer> readTiktoken(const Value& value, const std::string& origin) {
  if (value.items.size() != 3) {
    throw tokenizerError(ErrorKind::Corrupt, origin,
                         fmt::format("the encoding has {}, not one", counted(value.items.size() - 2, "state")));
  }
  const Value& state = *value.items[2];
  if (state.kind == Kind::Text) return byName(state.text, origin);
  const std::string_view pattern = require(state, "pat_str", Kind::Text, "a text", origin).text;
  const Value& ranks = require(state, "mergeable_ranks", Kind::Dict, "a dict", origin);
  const Value& specials = require(state, "special_tokens", Kind::Dict, "a dict", origin);

  tokenizer::ByteBpeParts parts;
  Table table(origin);
  for (std::size_t i = 0; i + 1 < ranks.items.size(); i += 2) {
    const std::size_t id = table.add(*ranks.items[i], *ranks.items[i + 1], Kind::Bytes);
    if (id >= parts.tokens.size()) parts.tokens.resize(id + 1);
    parts.tokens[id] = ranks.items[i]->text;
  }
  requireAllBytes(parts.tokens, origin);
  std::vector<std::string_view> sorted(parts.tokens.begin(), parts.tokens.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice =
      std::adjacent_find(sorted.begin(), sorted.end(), [](auto a, auto b) { return !a.empty() && a == b; });
  if (twice != sorted.end()) {
    throw tokenizerError(ErrorKind::Corrupt, origin,
                         fmt::format("the token {} stands in 'mergeable_ranks' twice", inQuotes(*twice)));
  }
  auto merges = tokenizer::mergesByRank(parts.tokens);
  if (!merges) {
    throw tokenizerError(ErrorKind::TooLarge, origin,
                         "its tokens are too long, or can be made in too many ways, for a vocabulary");
  }
  parts.merges = std::move(*merges);

  for (std::size_t i = 0; i + 1 < specials.items.size(); i += 2) {
    const Value& spelling = *specials.items[i];
    const auto id = static_cast<TokenId>(table.add(spelling, *specials.items[i + 1], Kind::Text));
    parts.spelled.emplace(id, spelling.text);
    parts.specials.push_back(id);
    if (spelling.text == kBeginning) parts.prefix = {id};
  }
  parts.tokens.resize(table.size());
  parts.wholePieces = tokenizer::WholePieces::LookedUp;
  // What the pattern does not match is no piece.
  const std::string regex = tokenizer::toPcre2(pattern, tokenizer::PatternDialect::Rust, origin);
  parts.pretokenizer = tokenizer::Pretokenizer(
      {tokenizer::SplitStep{std::make_shared<const tokenizer::UnicodeRegex>(regex, std::string(pattern), origin),
                            tokenizer::SplitBehavior::Removed, tokenizer::SplitSense::Gaps}});
  parts.description = fmt::format("byte-level BPE, {}", counted(parts.tokens.size(), "token"));
  return tokenizer::makeByteBpe(std::move(parts));
}

}  // namespace core::checkpoint
