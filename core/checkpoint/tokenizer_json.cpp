#include "core/checkpoint/tokenizer_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/tokenizer_json_characters.h"
#include "core/checkpoint/tokenizer_json_normalizer.h"
#include "core/checkpoint/tokenizer_json_part.h"
#include "core/checkpoint/tokenizer_json_steps.h"
#include "core/checkpoint/vocab_merges.h"

namespace core::checkpoint {

namespace {

using tokenizer::AddedToken;

constexpr std::size_t kMostAddedBytes = 1u << 20;     // of all together
constexpr std::size_t kLongestAddedToken = 1u << 10;  // each place of a text may be compared with all of it

/// Settings of a BPE that change ids, and the values that leave them alone.
struct Setting {
  const char* key;
  std::array<const char*, 3> harmless;  ///< as JSON
};
constexpr Setting kSettings[] = {{"dropout", {"null", "0.0", "0"}},
                                 {"continuing_subword_prefix", {"null", "\"\"", "null"}},
                                 {"end_of_word_suffix", {"null", "\"\"", "null"}}};

/// Settings for what has no token: without effect where every byte has one.
constexpr Setting kSettingsForUnknown[] = {{"unk_token", {"null", "null", "null"}},
                                           {"fuse_unk", {"null", "false", "null"}},
                                           {"byte_fallback", {"null", "false", "null"}}};

void requireHarmless(const JsonPart& model, const Setting& setting) {
  const Json* value = model.find(setting.key);
  if (value == nullptr) return;
  const std::string text = value->dump();
  if (std::find(setting.harmless.begin(), setting.harmless.end(), text) != setting.harmless.end()) return;
  throw tokenizerError(
      ErrorKind::Unsupported, model.origin,
      fmt::format("the setting {} of {} is not supported", inQuotes(setting.key), inQuotes(text.substr(0, 100))));
}

bool hasAllBytes(const std::vector<std::string>& tokens) {
  std::unordered_set<char> bytes;
  for (const std::string& token : tokens) {
    if (token.size() == 1) bytes.insert(token[0]);
  }
  return bytes.size() == 256;
}

tokenizer::MergeTable readMerges(const JsonPart& model, const Vocabulary& vocabulary) {
  tokenizer::MergeTable merges;
  std::uint32_t rank = 0;
  std::uint64_t number = 0;
  for (const Json& merge : model.list("merges")) {
    const std::string origin = fmt::format("{}: 'merges' item {}", model.origin, grouped(++number));
    const bool isPair = merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
    if (isPair) {
      addMerge(merges, vocabulary, merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>(),
               rank++, origin);
      continue;
    }
    const auto* text = merge.get_ptr<const std::string*>();
    if (text != nullptr && number == 1 && isMergeList(*text)) continue;
    const auto tokens = text == nullptr ? std::nullopt : splitMerge(*text);
    if (!tokens) {
      throw tokenizerError(ErrorKind::Corrupt, origin,
                           "it is neither a list of two tokens nor two with a space between");
    }
    addMerge(merges, vocabulary, tokens->first, tokens->second, rank++, origin);
  }
  return merges;
}

void readBytes(const JsonPart& model, Vocabulary& vocabulary, tokenizer::ByteBpeParts& parts) {
  if (!hasAllBytes(vocabulary.tokens)) {
    for (const Setting& setting : kSettingsForUnknown) requireHarmless(model, setting);
  }
  if (model.flag("ignore_merges", false)) parts.wholePieces = tokenizer::WholePieces::LookedUp;
  parts.tokens = std::move(vocabulary.tokens);
  parts.spelled = std::move(vocabulary.spelled);
}

/// Added tokens have ids of their own, or are in the vocabulary with the same id.
void readAddedTokens(const JsonPart& root, const Vocabulary& vocabulary, tokenizer::ByteBpeParts& parts) {
  if (root.find("added_tokens") == nullptr) return;
  std::unordered_set<std::string> seen;
  std::size_t bytes = 0;
  for (const JsonPart& part : root.objects("added_tokens")) {
    AddedToken token{.id = readTokenId(part.json.value("id", Json()), part.origin),
                     .content = part.text("content"),
                     .singleWord = part.flag("single_word"),
                     .lstrip = part.flag("lstrip"),
                     .rstrip = part.flag("rstrip"),
                     .normalized = part.flag("normalized")};
    const bool isLong = token.content.size() > kLongestAddedToken;
    const std::string searched =
        token.normalized && !isLong ? tokenizer::normalized(token.content, parts.normalSteps) : token.content;
    bytes += std::max(token.content.size(), searched.size());
    if (isLong || bytes > kMostAddedBytes) {
      throw tokenizerError(
          ErrorKind::TooLarge, part.origin,
          fmt::format("the token has {}, all until here have {}; the limits are {} and {}",
                      counted(token.content.size(), "byte"), grouped(std::uint64_t{bytes}),
                      grouped(std::uint64_t{kLongestAddedToken}), grouped(std::uint64_t{kMostAddedBytes})));
    }
    if (token.content.empty()) continue;  // found nowhere
    if (searched.empty()) {
      throw tokenizerError(ErrorKind::Unsupported, part.origin,
                           fmt::format("the token {} is empty when normalized", inQuotes(token.content)));
    }
    if (!seen.insert(token.content).second) {
      throw tokenizerError(ErrorKind::Corrupt, part.origin,
                           fmt::format("the token {} stands there twice", inQuotes(token.content)));
    }
    const auto known = vocabulary.ids.find(token.content);
    if (known != vocabulary.ids.end() && static_cast<TokenId>(known->second) != token.id) {
      throw tokenizerError(ErrorKind::Mismatch, part.origin,
                           fmt::format("the token {} has the id {}, in the vocabulary it has {}",
                                       inQuotes(token.content), token.id, known->second));
    }
    const auto id = static_cast<std::size_t>(token.id);
    if (id >= parts.tokens.size()) parts.tokens.resize(id + 1);
    const bool isNew = known == vocabulary.ids.end();
    if (isNew && (!parts.tokens[id].empty() || parts.spelled.contains(token.id))) {
      throw tokenizerError(
          ErrorKind::Corrupt, part.origin,
          fmt::format("the token {} has the id {}, which another token has too", inQuotes(token.content), token.id));
    }
    const bool isText = parts.characters && !part.flag("special", true);
    parts.spelled.insert_or_assign(token.id, isText ? withSpaces(token.content, parts) : token.content);
    parts.added.push_back(std::move(token));
  }
}

std::string describe(const tokenizer::ByteBpeParts& parts, const Template& around) {
  std::string text =
      fmt::format("{} BPE, {}", parts.characters ? "character" : "byte-level", counted(parts.tokens.size(), "token"));
  if (!around.after.empty()) {
    text += fmt::format("; {}, which its template puts after a text, is left out", listed(around.after, 3));
  }
  return text;
}

}  // namespace

bool isTokenizerJson(const Json& json) {
  const auto model = json.find("model");  // the end in what is no object, which contains() nothing either
  return model != json.end() && model->contains("vocab");
}

std::shared_ptr<const tokenizer::Tokenizer> readTokenizerJson(const Json& json, const std::string& origin) {
  const JsonPart root{json, origin};
  const JsonPart model = root.object("model");
  const std::string type = model.find("type") == nullptr ? "BPE" : model.text("type");  // files before 2020 have none
  if (type != "BPE") {
    throw tokenizerError(ErrorKind::Unsupported, origin,
                         fmt::format("the model type {} is not supported, BPE is", inQuotes(type)));
  }
  for (const Setting& setting : kSettings) requireHarmless(model, setting);

  tokenizer::ByteBpeParts parts;
  parts.normalSteps = readNormalizer(root);
  PreTokenizing before = readPreTokenizer(root);
  parts.metaspace = std::move(before.metaspace);
  parts.pretokenizer = std::move(before.pretokenizer);
  const Template around = readPostProcessor(root);

  const JsonPart vocab = model.object("vocab");
  Vocabulary vocabulary = readVocabulary(vocab.json, vocab.origin);
  parts.merges = readMerges(model, vocabulary);
  if (before.tokensOf == TokensOf::Bytes) {
    readBytes(model, vocabulary, parts);
  } else {
    readCharacters(model, vocabulary, parts);
  }
  readAddedTokens(root, vocabulary, parts);

  for (const TokenId id : around.before) {
    if (static_cast<std::size_t>(id) < parts.tokens.size()) continue;
    throw tokenizerError(ErrorKind::Corrupt, origin,
                         fmt::format("'post_processor' puts the id {} before a text; the largest id is {}", id,
                                     parts.tokens.size() - 1));
  }
  parts.prefix = around.before;
  parts.description = describe(parts, around);
  return tokenizer::makeByteBpe(std::move(parts));
}

}  // namespace core::checkpoint
