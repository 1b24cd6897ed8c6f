#include "core/checkpoint/tokenizer_json_normalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/vocab_merges.h"

namespace core::checkpoint {

namespace {

using tokenizer::NormalForm;
using tokenizer::NormalStep;

constexpr std::size_t kLongestText = 64;  // that a normalizer puts in: those in use have one character
constexpr std::size_t kMostGrowth = 64;   // of a text by all normalizers: Llama 2's make a space twelve times as long

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
  if (replace == nullptr) return 1;
  const std::size_t pattern = replace->pattern.size();
  return std::max<std::size_t>(1, (replace->content.size() + pattern - 1) / pattern);
}

}  // namespace

std::vector<NormalStep> readNormalizer(const JsonPart& root) {
  static constexpr std::pair<std::string_view, NormalForm> kForms[] = {
      {"NFC", NormalForm::Nfc}, {"NFD", NormalForm::Nfd}, {"NFKC", NormalForm::Nfkc}, {"NFKD", NormalForm::Nfkd}};
  std::vector<NormalStep> steps;
  std::size_t growth = 1;
  for (const JsonPart& part : stepsOf(root, "normalizer", "normalizers")) {
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

}  // namespace core::checkpoint
