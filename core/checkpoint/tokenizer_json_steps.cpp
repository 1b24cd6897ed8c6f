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
using tokenizer::Pretokenizer;
using tokenizer::SplitBehavior;
using tokenizer::SplitSense;
using tokenizer::SplitStep;
using tokenizer::UnicodeRegex;

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

PreTokenizing readPreTokenizer(const JsonPart& root) {
  PreTokenizing result;
  std::vector<Pretokenizer::Step> steps;
  for (const JsonPart& part : stepsOf(root, "pre_tokenizer", "pretokenizers")) {
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
        throw tokenizerError(ErrorKind::Unsupported, part.origin,
                             "the type 'ByteLevel' after 'Metaspace' is not supported");
      }
      result.tokensOf = TokensOf::Bytes;
      if (part.flag("add_prefix_space")) steps.emplace_back(tokenizer::LeadingSpaceStep());
      if (part.flag("use_regex", true)) steps.emplace_back(tokenizer::gpt2Split());
    } else if (type == "Metaspace") {
      if (result.metaspace || !steps.empty()) {
        throw tokenizerError(ErrorKind::Unsupported, part.origin,
                             "the type 'Metaspace' after another step is not supported");
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
  for (const JsonPart& part : stepsOf(root, "post_processor", "processors")) {
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
