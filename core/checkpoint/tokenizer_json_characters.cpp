#include "core/checkpoint/tokenizer_json_characters.h"

#include <fmt/format.h>

#include <variant>

#include "core/checkpoint/printable.h"
#include "core/tokenizer/utf8.h"

namespace core::checkpoint {

namespace {

using tokenizer::CharacterSymbols;
using tokenizer::ReplaceText;
using tokenizer::UnknownInARow;

void readByteFallback(const Vocabulary& vocabulary, tokenizer::ByteBpeParts& parts) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const auto found = vocabulary.ids.find(fmt::format("<0x{:02X}>", byte));
    if (found == vocabulary.ids.end()) continue;
    parts.characters->bytes[byte] = found->second;
    parts.tokens[found->second] = std::string(1, static_cast<char>(byte));
  }
}

void readUnknown(const JsonPart& model, const Vocabulary& vocabulary, CharacterSymbols& characters) {
  if (model.find("unk_token") == nullptr) return;
  const std::string& spelling = model.text("unk_token");
  const auto found = vocabulary.ids.find(spelling);
  if (found == vocabulary.ids.end()) {
    throw tokenizerError(ErrorKind::Corrupt, model.origin,
                         fmt::format("'unk_token' is {}, which is not in the vocabulary", inQuotes(spelling)));
  }
  characters.unknown = found->second;
  if (model.flag("fuse_unk", false)) characters.unknownInARow = UnknownInARow::Fused;
}

}  // namespace

void readCharacters(const JsonPart& model, const Vocabulary& vocabulary, tokenizer::ByteBpeParts& parts) {
  if (model.flag("ignore_merges", false)) {
    throw tokenizerError(ErrorKind::Unsupported, model.origin,
                         "the setting 'ignore_merges' is not supported where 'pre_tokenizer' has no 'ByteLevel' step");
  }
  CharacterSymbols& characters = parts.characters.emplace();
  parts.tokens.resize(vocabulary.tokens.size());
  for (const auto& [spelling, id] : vocabulary.ids) {
    // JSON is UTF-8; a token of nothing is no character.
    const auto first = spelling.empty() ? tokenizer::CodePoint() : tokenizer::codePointAt(spelling, 0);
    if (first.length == spelling.size()) characters.ids.emplace(first.value, id);
    parts.tokens[id] = withSpaces(std::string(spelling), parts);
  }
  if (model.flag("byte_fallback", false)) readByteFallback(vocabulary, parts);
  readUnknown(model, vocabulary, characters);
}

std::string withSpaces(std::string spelling, const tokenizer::ByteBpeParts& parts) {
  const auto undo = [&](const std::string& mark) {
    spelling = tokenizer::normalized(spelling, {ReplaceText{mark, " "}});
  };
  if (parts.metaspace) undo(parts.metaspace->mark);
  for (const tokenizer::NormalStep& step : parts.normalSteps) {
    const auto* replace = std::get_if<ReplaceText>(&step);
    if (replace != nullptr && replace->pattern == " " && !replace->content.empty()) undo(replace->content);
  }
  return spelling;
}

}  // namespace core::checkpoint
