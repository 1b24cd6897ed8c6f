#include "core/checkpoint/tokenizer_json_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/tokenizer/pattern_dialect.h"
#include "core/tokenizer/utf8.h"

namespace core::checkpoint {

namespace {

using tokenizer::MarkInFront;
using tokenizer::Metaspace;
using tokenizer::NormalForm;
using tokenizer::NormalStep;
using tokenizer::Pretokenizer;
using tokenizer::SplitBehavior;
using tokenizer::SplitSense;
using tokenizer::SplitStep;
using tokenizer::UnicodeRegex;

constexpr std::size_t kMostSteps = 16;
constexpr std::size_t kLongestText = 64;  // that a normalizer puts in: those in use have one character
constexpr std::size_t kMostGrowth = 64;   // of a text by all normalizers: Llama 2's make a space twelve times as long

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

const std::string& shortText(const JsonPart& part, const std::string& key) {
  const std::string& text = part.text(key);
  if (text.size() <= kLongestText) return text;
  throw tokenizerError(ErrorKind::Unsupported, part.origin,
                       fmt::format("{} has {}; up to {} are read", inQuotes(key), counted(text.size(), "byte"),
                                   grouped(std::uint64_t{kLongestText})));
}

tokenizer::ReplaceText readReplace(const JsonPart& part) {
  const JsonPart pattern = part.object("pattern");
  if (pattern.find("Regex") != nullptr) {
    throw tokenizerError(ErrorKind::Unsupported, part.origin,
                         fmt::format("the regular expression {} to replace is not supported, a fixed text is",
                                     inQuotes(pattern.text("Regex").substr(0, 100))));
  }
  tokenizer::ReplaceText step{shortText(pattern, "String"), shortText(part, "content")};
  if (step.pattern.empty()) {
    throw tokenizerError(ErrorKind::Unsupported, part.origin, "an empty text to replace is not supported");
  }
  return step;
}

/// How many times as long a text may become.
std::size_t growthOf(const NormalStep& step) {
  if (const auto* prepend = std::get_if<tokenizer::PrependText>(&step)) return 1 + prepend->text.size();
  const auto* replace = std::get_if<tokenizer::ReplaceText>(&step);
  return replace == nullptr ? 1 : std::max<std::size_t>(1, replace->content.size() / replace->pattern.size() + 1);
}

Metaspace readMetaspace(const JsonPart& part) {
  static constexpr std::pair<std::string_view, MarkInFront> kSchemes[] = {
      {"always", MarkInFront::Always}, {"first", MarkInFront::First}, {"never", MarkInFront::Never}};
  Metaspace metaspace{part.text("replacement")};
  if (metaspace.mark.empty() || tokenizer::codePointAt(metaspace.mark, 0).length != metaspace.mark.size()) {
    throw tokenizerError(ErrorKind::Corrupt, part.origin,
                         fmt::format("'replacement' is {}, not one character", inQuotes(metaspace.mark)));
  }
  const std::string name = part.find("prepend_scheme") == nullptr ? "always" : part.text("prepend_scheme");
  const auto* scheme =
      std::find_if(std::begin(kSchemes), std::end(kSchemes), [&](const auto& row) { return row.first == name; });
  if (scheme == std::end(kSchemes)) {
    throw tokenizerError(ErrorKind::Unsupported, part.origin,
                         fmt::format("the 'prepend_scheme' {} is not supported", inQuotes(name)));
  }
  metaspace.inFront = scheme->second;
  // Older files have this flag instead; tokenizers refuses those where both are there and differ.
  if (part.flag("add_prefix_space", true)) return metaspace;
  if (part.find("prepend_scheme") != nullptr && metaspace.inFront != MarkInFront::Never) {
    throw tokenizerError(ErrorKind::Corrupt, part.origin,
                         fmt::format("'add_prefix_space' is false, 'prepend_scheme' is {}", inQuotes(name)));
  }
  metaspace.inFront = MarkInFront::Never;
  return metaspace;
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

SplitStep splitAtMarks(const std::string& mark) {
  return {std::make_shared<const UnicodeRegex>(tokenizer::literalPattern(mark)), SplitBehavior::MergedWithNext};
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

std::vector<NormalStep> readNormalizer(const JsonPart& root) {
  static constexpr std::pair<std::string_view, NormalForm> kForms[] = {
      {"NFC", NormalForm::Nfc}, {"NFD", NormalForm::Nfd}, {"NFKC", NormalForm::Nfkc}, {"NFKD", NormalForm::Nfkd}};
  std::vector<NormalStep> steps;
  std::size_t growth = 1;
  for (const JsonPart& part : partsOf(root, "normalizer", "normalizers")) {
    const std::string& type = part.text("type");
    const auto* form =
        std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& row) { return row.first == type; });
    if (type == "Prepend") {
      steps.emplace_back(tokenizer::PrependText{shortText(part, "prepend")});
    } else if (type == "Replace") {
      steps.emplace_back(readReplace(part));
    } else if (form != std::end(kForms)) {
      steps.emplace_back(form->second);
    } else {
      failUnsupported(part, type);
    }
    growth *= growthOf(steps.back());
    if (growth > kMostGrowth) {
      throw tokenizerError(ErrorKind::Unsupported, part.origin,
                           fmt::format("a text may become {} times as long; up to {} times are read",
                                       grouped(std::uint64_t{growth}), grouped(std::uint64_t{kMostGrowth})));
    }
  }
  return steps;
}

PreTokenizing readPreTokenizer(const JsonPart& root) {
  PreTokenizing result;
  std::vector<Pretokenizer::Step> steps;
  for (const JsonPart& part : partsOf(root, "pre_tokenizer", "pretokenizers")) {
    const std::string& type = part.text("type");
    if (result.tokensOf == TokensOf::Bytes) {
      throw tokenizerError(ErrorKind::Unsupported, part.origin,
                           fmt::format("the type {} after 'ByteLevel' is not supported", inQuotes(type)));
    }
    if (type == "Split") {
      steps.emplace_back(readSplit(part));
    } else if (type == "Digits") {
      steps.emplace_back(digits(part));
    } else if (type == "ByteLevel") {
      if (result.metaspace) {
        throw tokenizerError(ErrorKind::Unsupported, part.origin, "the type 'ByteLevel' after 'Metaspace' is not supported");
      }
      result.tokensOf = TokensOf::Bytes;
      if (part.flag("add_prefix_space")) steps.emplace_back(tokenizer::LeadingSpaceStep());
      if (part.flag("use_regex", true)) steps.emplace_back(tokenizer::gpt2Split());
    } else if (type == "Metaspace") {
      if (result.metaspace || !steps.empty()) {
        throw tokenizerError(ErrorKind::Unsupported, part.origin, "the type 'Metaspace' after another step is not supported");
      }
      result.metaspace = readMetaspace(part);
      if (part.flag("split", true)) steps.emplace_back(splitAtMarks(result.metaspace->mark));
    } else {
      failUnsupported(part, type);
    }
  }
  result.pretokenizer = Pretokenizer(std::move(steps));
  return result;
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
