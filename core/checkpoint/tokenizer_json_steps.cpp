#include "core/checkpoint/tokenizer_json_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/tokenizer/pattern_dialect.h"

namespace core::checkpoint {

namespace {

using tokenizer::NormalForm;
using tokenizer::Pretokenizer;
using tokenizer::SplitBehavior;
using tokenizer::SplitSense;
using tokenizer::SplitStep;
using tokenizer::UnicodeRegex;

constexpr std::size_t kMostSteps = 16;

[[noreturn]] void failUnsupported(const JsonPart& part, const std::string& type) {
  throw tokenizerError(ErrorKind::Unsupported, part.origin,
                       fmt::format("the type {} is not supported", inQuotes(type)));
}

/// The parts of a kind in their order, those of a "Sequence" (also within another) one by one. The recursion is no
/// deeper than readJson lets a file nest.
void flatten(const JsonPart& part, const std::string& key, std::vector<JsonPart>& parts) {
  if (part.text("type") != "Sequence") {
    parts.push_back(part);
    return;
  }
  for (const JsonPart& inner : part.objects(key)) flatten(inner, key, parts);
}

std::vector<JsonPart> partsOf(const JsonPart& root, const std::string& name, const std::string& key) {
  std::vector<JsonPart> parts;
  if (root.find(name) != nullptr) flatten(root.object(name), key, parts);
  if (parts.size() > kMostSteps) {
    throw tokenizerError(
        ErrorKind::Unsupported, root.origin,
        fmt::format("{} has {}; up to {} are read", inQuotes(name), counted(parts.size(), "step"), kMostSteps));
  }
  return parts;
}

SplitStep readSplit(const JsonPart& part) {
  static constexpr std::pair<std::string_view, SplitBehavior> kBehaviors[] = {
      {"Isolated", SplitBehavior::Isolated},
      {"Removed", SplitBehavior::Removed},
      {"MergedWithPrevious", SplitBehavior::MergedWithPrevious},
      {"MergedWithNext", SplitBehavior::MergedWithNext},
      {"Contiguous", SplitBehavior::Contiguous}};
  const JsonPart pattern = part.object("pattern");
  const bool isRegex = pattern.find("Regex") != nullptr;
  const std::string& spelling = pattern.text(isRegex ? "Regex" : "String");
  const std::string& name = part.text("behavior");
  const auto* behavior =
      std::find_if(std::begin(kBehaviors), std::end(kBehaviors), [&](const auto& row) { return row.first == name; });
  if (behavior == std::end(kBehaviors)) {
    throw tokenizerError(ErrorKind::Unsupported, part.origin,
                         fmt::format("the behavior {} is not supported", inQuotes(name)));
  }
  const std::string regex = isRegex ? tokenizer::toPcre2(spelling, tokenizer::PatternDialect::Oniguruma, part.origin)
                                    : tokenizer::literalPattern(spelling);
  return {std::make_shared<const UnicodeRegex>(regex, spelling, part.origin), behavior->second,
          part.flag("invert") ? SplitSense::Gaps : SplitSense::Matches};
}

SplitStep digits(const JsonPart& part) {
  return {std::make_shared<const UnicodeRegex>(R"(\p{N})"),
          part.flag("individual_digits") ? SplitBehavior::Isolated : SplitBehavior::Contiguous};
}

/// Adds what {"SpecialToken": {"id": "<s>"}} stands for: the ids that "special_tokens" lists for the name.
void addSpecial(const JsonPart& part, const std::string& name, std::vector<TokenId>& ids) {
  const JsonPart token = part.object("special_tokens").object(name);
  for (const Json& id : token.list("ids")) ids.push_back(readTokenId(id, token.origin));
}

Template readTemplate(const JsonPart& part) {
  Template result;
  bool seenText = false;
  for (const JsonPart& piece : part.objects("single")) {
    if (piece.find("Sequence") != nullptr) {
      if (seenText) {
        throw tokenizerError(ErrorKind::Unsupported, part.origin, "a template with the text twice is not supported");
      }
      seenText = true;
    } else if (const std::string& name = piece.object("SpecialToken").text("id"); seenText) {
      result.after.push_back(name);
    } else {
      addSpecial(part, name, result.before);
    }
  }
  return result;
}

}  // namespace

std::vector<NormalForm> readNormalizer(const JsonPart& root) {
  static constexpr std::pair<std::string_view, NormalForm> kForms[] = {
      {"NFC", NormalForm::Nfc}, {"NFD", NormalForm::Nfd}, {"NFKC", NormalForm::Nfkc}, {"NFKD", NormalForm::Nfkd}};
  std::vector<NormalForm> forms;
  for (const JsonPart& part : partsOf(root, "normalizer", "normalizers")) {
    const std::string& type = part.text("type");
    const auto* form =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& row) { return row.first == type; });
    if (form == std::end(kForms)) failUnsupported(part, type);
    forms.push_back(form->second);
  }
  return forms;
}

Pretokenizer readPreTokenizer(const JsonPart& root) {
  std::vector<Pretokenizer::Step> steps;
  bool byteLevel = false;
  for (const JsonPart& part : partsOf(root, "pre_tokenizer", "pretokenizers")) {
    const std::string& type = part.text("type");
    if (byteLevel) {
      throw tokenizerError(ErrorKind::Unsupported, part.origin,
                           fmt::format("the type {} after 'ByteLevel' is not supported", inQuotes(type)));
    }
    if (type == "Split") {
      steps.emplace_back(readSplit(part));
    } else if (type == "Digits") {
      steps.emplace_back(digits(part));
    } else if (type == "ByteLevel") {
      byteLevel = true;
      if (part.flag("add_prefix_space")) steps.emplace_back(tokenizer::LeadingSpaceStep());
      if (part.flag("use_regex", true)) steps.emplace_back(tokenizer::gpt2Split());
    } else {
      failUnsupported(part, type);
    }
  }
  if (!byteLevel) {
    throw tokenizerError(ErrorKind::Unsupported, root.origin,
                         "'pre_tokenizer' has no 'ByteLevel' step, and a BPE over characters is not supported");
  }
  return Pretokenizer(std::move(steps));
}

Template readPostProcessor(const JsonPart& root) {
  Template result;
  bool seen = false;
  for (const JsonPart& part : partsOf(root, "post_processor", "processors")) {
    const std::string& type = part.text("type");
    if (type == "ByteLevel") continue;
    if (type != "TemplateProcessing") failUnsupported(part, type);
    if (seen) throw tokenizerError(ErrorKind::Unsupported, part.origin, "a second template is not supported");
    seen = true;
    result = readTemplate(part);
  }
  return result;
}

}  // namespace core::checkpoint
