#include "core/checkpoint/vocab_merges.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/checkpoint/file.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/tokenizer_json.h"
#include "core/tokenizer/byte_alphabet.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kLargestMergeList = 64u << 20;
constexpr std::string_view kEndOfText = "<|endoftext|>";

/// The names that the two files have together.
struct Pair {
  std::string_view vocabulary;
  std::string_view merges;
};
constexpr Pair kPairs[] = {{"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};

/// The file beside `path` that belongs to it: its name's partner, or any where its name is another. Errors: NotFound.
fs::path partner(const fs::path& path, std::string_view Pair::*own, std::string_view Pair::*other) {
  const Pair* const named =
      std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair& row) { return path.filename() == row.*own; });
  const std::span<const Pair> rows = named != std::end(kPairs) ? std::span(named, 1) : std::span(kPairs);
  std::error_code ignored;
  for (const Pair& row : rows) {
    const fs::path file = path.parent_path() / row.*other;
    if (fs::exists(file, ignored)) return file;
  }
  throw Error(
      ErrorKind::NotFound,
      fmt::format("{}: it needs {} beside it, which is not there. Copy it there, choose another tokenizer file, "
                  "or give token ids.",
                  path.string(), rows.front().*other));
}

tokenizer::MergeTable readMergeList(const fs::path& path, const Vocabulary& vocabulary) {
  const File file(path);
  if (file.size() > kLargestMergeList) {
    throw tokenizerError(ErrorKind::TooLarge, file.name(),
                         fmt::format("it has {} bytes; the limit for a list of merges is {}", grouped(file.size()),
                                     grouped(kLargestMergeList)));
  }
  const std::string text = file.read(0, file.size());
  tokenizer::MergeTable merges;
  std::uint32_t rank = 0;
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && isMergeList(line))) continue;
    const std::string origin = fmt::format("{}: line {}", file.name(), grouped(number));
    const auto merge = splitMerge(line);
    if (!merge) {
      throw tokenizerError(ErrorKind::Corrupt, origin,
                           fmt::format("{} is not two tokens with a space between them", inQuotes(line)));
    }
    addMerge(merges, vocabulary, merge->first, merge->second, rank++, origin);
  }
  return merges;
}

std::shared_ptr<const tokenizer::Tokenizer> makeTokenizer(const Json& json, const std::string& origin,
                                                          const fs::path& merges) {
  Vocabulary vocabulary = readVocabulary(json, origin);
  tokenizer::ByteBpeParts parts;
  parts.merges = readMergeList(merges, vocabulary);
  parts.tokens = std::move(vocabulary.tokens);
  parts.spelled = std::move(vocabulary.spelled);
  if (const auto end = vocabulary.ids.find(kEndOfText); end != vocabulary.ids.end()) {
    const auto id = static_cast<TokenId>(end->second);
    parts.spelled.insert_or_assign(id, std::string(kEndOfText));
    parts.added.push_back({.id = id, .content = std::string(kEndOfText)});
  }
  parts.pretokenizer = tokenizer::Pretokenizer({tokenizer::gpt2Split()});
  parts.description = fmt::format("byte-level BPE with GPT-2's split rule, {}", counted(parts.tokens.size(), "token"));
  return tokenizer::makeByteBpe(std::move(parts));
}

}  // namespace

Error tokenizerError(ErrorKind kind, const std::string& origin, const std::string& what) {
  return Error(kind, fmt::format("{}: {}. Choose another tokenizer file, or give token ids.", origin, what));
}

Vocabulary readVocabulary(const Json& vocab, const std::string& origin) {
  if (vocab.size() > kMostTokens) {
    throw tokenizerError(
        ErrorKind::TooLarge, origin,
        fmt::format("it has {} tokens; the limit is {}", grouped(std::uint64_t{vocab.size()}), grouped(kMostTokens)));
  }
  Vocabulary vocabulary;
  std::vector<bool> taken;
  vocabulary.ids.reserve(vocab.size());
  for (const auto& [spelling, number] : vocab.get_ref<const Json::object_t&>()) {
    const auto corrupt = [&, &word = spelling](const std::string& what) {
      return tokenizerError(ErrorKind::Corrupt, origin, fmt::format("the token {} {}", inQuotes(word), what));
    };
    if (!number.is_number_unsigned()) {
      throw corrupt(fmt::format("has {} for an id, not a whole number from 0", inQuotes(number.dump().substr(0, 100))));
    }
    const auto wide = number.get<std::uint64_t>();
    if (wide >= static_cast<std::uint64_t>(kMostTokenIds)) {
      throw tokenizerError(ErrorKind::TooLarge, origin,
                           fmt::format("the token {} has the id {}; ids up to {} are read", inQuotes(spelling),
                                       grouped(wide), grouped(kMostTokenIds - 1)));
    }
    const auto id = static_cast<std::size_t>(wide);
    if (id >= vocabulary.tokens.size()) {
      vocabulary.tokens.resize(id + 1);
      taken.resize(id + 1);
    }
    if (taken[id]) throw corrupt(fmt::format("has the id {}, which another token has too", grouped(wide)));
    taken[id] = true;
    vocabulary.ids.emplace(spelling, static_cast<tokenizer::Symbol>(id));
    if (auto bytes = tokenizer::bytesOfLetters(spelling)) {
      vocabulary.tokens[id] = std::move(*bytes);
    } else {
      vocabulary.spelled.emplace(static_cast<TokenId>(id), spelling);
    }
  }
  return vocabulary;
}

void addMerge(tokenizer::MergeTable& merges, const Vocabulary& vocabulary, std::string_view left,
              std::string_view right, std::uint32_t rank, const std::string& origin) {
  const std::string both = std::string(left).append(right);
  const auto idOf = [&](std::string_view token) {
    const auto found = vocabulary.ids.find(token);
    if (found == vocabulary.ids.end()) {
      throw tokenizerError(ErrorKind::Corrupt, origin,
                           fmt::format("the merge of {} and {} needs the token {}, which is not in the vocabulary",
                                       inQuotes(left), inQuotes(right), inQuotes(token)));
    }
    return found->second;
  };
  const tokenizer::Symbol first = idOf(left), second = idOf(right);
  merges.set(first, second, {rank, idOf(both)});
  if (merges.size() > tokenizer::kMostMerges) {
    throw tokenizerError(ErrorKind::TooLarge, origin,
                         fmt::format("there are more than {} merges", grouped(std::uint64_t{tokenizer::kMostMerges})));
  }
}

std::optional<std::pair<std::string_view, std::string_view>> splitMerge(std::string_view text) {
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, space), text.substr(space + 1));
}

bool isVocabulary(const Json& json) {
  return json.is_object() && !json.empty() &&
         std::all_of(json.begin(), json.end(), [](const Json& value) { return value.is_number(); });
}

bool isMergeList(std::string_view head) { return head.starts_with("#version"); }

std::shared_ptr<const tokenizer::Tokenizer> readByVocabulary(const fs::path& path, const Json& vocabulary) {
  return makeTokenizer(vocabulary, path.string(), partner(path, &Pair::vocabulary, &Pair::merges));
}

std::shared_ptr<const tokenizer::Tokenizer> readByMerges(const fs::path& path) {
  const File file(partner(path, &Pair::merges, &Pair::vocabulary));
  const Json json = readJson(file, kTokenizerJsonLimits);
  if (!isVocabulary(json)) {
    throw tokenizerError(ErrorKind::NotAModel, file.name(), "it is no list of tokens and their ids");
  }
  return makeTokenizer(json, file.name(), path);
}

}  // namespace core::checkpoint
