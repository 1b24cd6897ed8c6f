#include "core/checkpoint/gguf_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/error.h"
#include "core/tokenizer/byte_alphabet.h"
#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "core/tokenizer/split_rules.h"

namespace core::checkpoint::gguf {

namespace {

using tokenizer::PieceType;

constexpr std::string_view kModelKey = "tokenizer.ggml.model";
constexpr std::string_view kRuleKey = "tokenizer.ggml.pre";
constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";
constexpr std::string_view kTypesKey = "tokenizer.ggml.token_type";
constexpr std::string_view kScoresKey = "tokenizer.ggml.scores";
constexpr std::string_view kMergesKey = "tokenizer.ggml.merges";
constexpr std::string_view kAddBosKey = "tokenizer.ggml.add_bos_token";
constexpr std::string_view kBosKey = "tokenizer.ggml.bos_token_id";
constexpr std::string_view kUnknownKey = "tokenizer.ggml.unknown_token_id";
constexpr std::string_view kSpaceKey = "tokenizer.ggml.add_space_prefix";

/// What both kinds have.
struct Vocabulary {
  std::vector<std::string_view> tokens;  ///< in the metadata
  std::vector<PieceType> types;          ///< of all
};

Error fault(const GgufMetadata& metadata, ErrorKind kind, const std::string& what) {
  return tokenizerError(kind, metadata.origin(), what);
}

template <class T>
T required(const GgufMetadata& metadata, std::optional<T> value, std::string_view key) {
  if (!value) throw fault(metadata, ErrorKind::Corrupt, fmt::format("the key {} is not there", inQuotes(key)));
  return std::move(*value);
}

void requireAsMany(const GgufMetadata& metadata, std::size_t count, std::string_view key, std::size_t tokens) {
  if (count == tokens) return;
  throw fault(metadata, ErrorKind::Corrupt,
              fmt::format("{} has {}, but there are {}", key, counted(count, "item"), counted(tokens, "token")));
}

Vocabulary readVocabulary(const GgufMetadata& metadata) {
  Vocabulary vocabulary;
  vocabulary.tokens = required(metadata, metadata.texts(kTokensKey, kMostTokens), kTokensKey);
  const std::size_t count = vocabulary.tokens.size();
  if (count == 0) throw fault(metadata, ErrorKind::Corrupt, fmt::format("{} has no token", kTokensKey));
  vocabulary.types.assign(count, PieceType::Normal);
  const auto types = metadata.wholeNumbers(kTypesKey, kMostTokens);
  if (!types) return vocabulary;
  requireAsMany(metadata, types->size(), kTypesKey, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t type = (*types)[i];
    if (type < 1 || type > 6) {
      throw fault(metadata, ErrorKind::Corrupt,
                  fmt::format("the token {} ({}) is of the type {}; types go from 1 to 6", i,
                              inQuotes(vocabulary.tokens[i]), grouped(type)));
    }
    vocabulary.types[i] = static_cast<PieceType>(type);
  }
  return vocabulary;
}

/// What is taken where a file does not say it.
struct Usual {
  bool addsBos;
  std::optional<std::uint64_t> bos;
};

/// The beginning-of-sequence token, if it is put before a text.
std::vector<TokenId> readPrefix(const GgufMetadata& metadata, std::size_t tokens, const Usual& usual) {
  if (!metadata.truth(kAddBosKey).value_or(usual.addsBos)) return {};
  const bool isNone = metadata.number(kBosKey).value_or(0) < 0;
  const auto id = metadata.has(kBosKey) && !isNone ? metadata.wholeNumber(kBosKey) : usual.bos;
  if (!id) {
    if (!metadata.has(kAddBosKey)) return {};
    throw fault(metadata, ErrorKind::Corrupt,
                fmt::format("{} is true, but {} names no token", inQuotes(kAddBosKey), inQuotes(kBosKey)));
  }
  if (*id >= tokens) {
    throw fault(metadata, ErrorKind::Corrupt,
                fmt::format("{} is {}, but there are {}", inQuotes(kBosKey), grouped(*id), counted(tokens, "token")));
  }
  return {static_cast<TokenId>(*id)};
}

std::string withPrefix(std::string description, const std::vector<TokenId>& prefix, const Vocabulary& vocabulary) {
  for (const TokenId id : prefix)
    description += fmt::format("; {} before the text", vocabulary.tokens[static_cast<std::size_t>(id)]);
  return description;
}

/// Names of rules that are known, for a sentence.
const tokenizer::SplitRule& ruleOf(const GgufMetadata& metadata, std::string_view name) {
  if (const tokenizer::SplitRule* rule = tokenizer::splitRuleNamed(name)) return *rule;
  throw fault(metadata, ErrorKind::Unsupported,
              fmt::format("the split rule ({}) is {}, which is not known here; known are {}", kRuleKey, inQuotes(name),
                          tokenizer::splitRuleNames()));
}

ReadTokenizer readByteBpe(const GgufMetadata& metadata) {
  ReadTokenizer result;
  const Vocabulary vocabulary = readVocabulary(metadata);
  const auto name = metadata.text(kRuleKey);
  if (!name) {
    result.warnings.push_back(
        fmt::format("The key {} is not there, which names how a text is split: it is split as llama.cpp does then "
                    "('default'), which may differ from the model's own tokenizer.",
                    inQuotes(kRuleKey)));
  }
  const tokenizer::SplitRule& rule = ruleOf(metadata, name.value_or("default"));

  tokenizer::ByteBpeParts parts;
  checkpoint::Vocabulary spellings;
  parts.tokens.resize(vocabulary.tokens.size());
  spellings.ids.reserve(vocabulary.tokens.size());
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i) {
    const std::string_view token = vocabulary.tokens[i];
    const auto id = static_cast<TokenId>(i);
    const PieceType type = vocabulary.types[i];
    spellings.ids.emplace(token, static_cast<tokenizer::Symbol>(i));  // of equal ones the first counts
    const bool isPiece = type == PieceType::Normal || type == PieceType::Byte;
    if (auto bytes = isPiece ? tokenizer::bytesOfLetters(token) : std::nullopt) {
      parts.tokens[i] = std::move(*bytes);
    } else {
      parts.spelled.emplace(id, token);
    }
    const bool isFound = type == PieceType::Control || type == PieceType::UserDefined;
    if (isFound && !token.empty()) parts.added.push_back({.id = id, .content = std::string(token)});
  }
  const auto merges = required(metadata, metadata.texts(kMergesKey, tokenizer::kMostMerges), kMergesKey);
  std::uint32_t rank = 0;
  for (const std::string_view text : merges) {
    const std::string origin =
        fmt::format("{}: {} item {}", metadata.origin(), kMergesKey, grouped(std::uint64_t{rank} + 1));
    const auto merge = splitMerge(text);
    if (!merge) {
      throw tokenizerError(ErrorKind::Corrupt, origin,
                           fmt::format("{} is not two tokens with a space between them", inQuotes(text)));
    }
    addMerge(parts.merges, spellings, merge->first, merge->second, rank++, origin);
  }
  parts.wholePieces = rule.wholePieces;
  if (rule.normalForm) parts.normalSteps.emplace_back(*rule.normalForm);
  parts.pretokenizer = tokenizer::pretokenizerOf(rule);
  parts.prefix = readPrefix(metadata, vocabulary.tokens.size(), {rule.beginsWithBos, std::nullopt});
  parts.description = withPrefix(
      fmt::format("byte-level BPE split as {}, {}", name.value_or("default"), counted(parts.tokens.size(), "token")),
      parts.prefix, vocabulary);
  result.tokenizer = tokenizer::makeByteBpe(std::move(parts));
  return result;
}

/// With what files leave out or spell otherwise than the library takes it, as llama.cpp reads them.
tokenizer::SentencePieceParts piecesOf(const GgufMetadata& metadata, const Vocabulary& vocabulary,
                                       const std::vector<float>& scores) {
  tokenizer::SentencePieceParts parts;
  parts.pieces.reserve(vocabulary.tokens.size());
  for (std::size_t i = 0; i < vocabulary.tokens.size(); ++i)
    parts.pieces.push_back({std::string(vocabulary.tokens[i]), scores[i], vocabulary.types[i]});
  const auto isOf = [](PieceType type) { return [type](const auto& piece) { return piece.type == type; }; };
  if (std::none_of(parts.pieces.begin(), parts.pieces.end(), isOf(PieceType::Unknown))) {
    const std::uint64_t unknown = metadata.wholeNumber(kUnknownKey).value_or(0);
    if (unknown < parts.pieces.size()) parts.pieces[unknown].type = PieceType::Unknown;
  }
  constexpr std::ptrdiff_t kBytes = 256;
  const bool allBytes = std::count_if(parts.pieces.begin(), parts.pieces.end(), isOf(PieceType::Byte)) == kBytes;
  for (std::size_t i = 0; i < parts.pieces.size(); ++i) {
    tokenizer::SentencePieceParts::Piece& piece = parts.pieces[i];
    const bool isEmpty = piece.text.empty();
    if (isEmpty) piece.text = fmt::format("[EMPTY_{}]", i);
    if (isEmpty || (piece.type == PieceType::Byte && !allBytes)) piece.type = PieceType::Unused;
  }
  parts.addsSpace = metadata.truth(kSpaceKey).value_or(true);
  return parts;
}

ReadTokenizer readSentencePiece(const GgufMetadata& metadata) {
  const Vocabulary vocabulary = readVocabulary(metadata);
  const std::vector<float> scores =
      metadata.floats(kScoresKey, kMostTokens).value_or(std::vector<float>(vocabulary.tokens.size()));
  requireAsMany(metadata, scores.size(), kScoresKey, vocabulary.tokens.size());
  tokenizer::SentencePieceParts parts = piecesOf(metadata, vocabulary, scores);
  constexpr std::uint64_t kUsualBos = 1;  // "<s>" of every published model
  const Usual usual = vocabulary.tokens.size() > kUsualBos && vocabulary.types[kUsualBos] == PieceType::Control
                          ? Usual{true, kUsualBos}
                          : Usual{true, std::nullopt};
  parts.prefix = readPrefix(metadata, vocabulary.tokens.size(), usual);
  parts.description = withPrefix(fmt::format("SentencePiece, {}", counted(vocabulary.tokens.size(), "token")),
                                 parts.prefix, vocabulary);
  ReadTokenizer result;
  if (std::adjacent_find(scores.begin(), scores.end(), std::not_equal_to()) == scores.end()) {
    result.warnings.push_back(
        "All scores of the tokenizer are the same: the file was made without them, and a text may be split otherwise "
        "than the model's own tokenizer does it.");
  }
  result.tokenizer = tokenizer::makeSentencePiece(std::move(parts), metadata.origin());
  return result;
}

}  // namespace

ReadTokenizer readTokenizer(const GgufMetadata& metadata) {
  const auto model = metadata.text(kModelKey);
  if (!model || *model == "none" || *model == "no_vocab") {
    throw fault(
        metadata, ErrorKind::NotFound,
        fmt::format("the file has no tokenizer ({} {})", kModelKey, model ? "is " + inQuotes(*model) : "is not there"));
  }
  if (*model == "gpt2") return readByteBpe(metadata);
  if (*model == "llama") return readSentencePiece(metadata);
  throw fault(metadata, ErrorKind::Unsupported,
              fmt::format("its tokenizer ({}) is {}; read are 'gpt2' (byte-level BPE) and 'llama' (SentencePiece)",
                          kModelKey, inQuotes(*model)));
}

}  // namespace core::checkpoint::gguf
