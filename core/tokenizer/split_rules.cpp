#include "core/tokenizer/split_rules.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "core/tokenizer/pattern_dialect.h"

namespace core::tokenizer {

namespace {

constexpr std::string_view kGpt2Names[] = {"gpt-2", "gigachat", "jais", "mpt", "olmo", "phi-2", "trillion"};

constexpr std::string_view kDigitNames[] = {"smollm",     "codeshell", "command-r", "exaone",
                                            "minerva-7b", "refact",    "starcoder"};
constexpr std::string_view kDigits[] = {R"(\p{N})"};

constexpr std::string_view kLlama3Names[] = {"llama-bpe", "llama3", "llama-v3", "falcon3",
                                             "falcon-h1", "lfm2",   "midm-2.0"};
constexpr std::string_view kLlama3[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+)"
    R"(|\s+(?!\S)|\s+)"};

// The same rule without Llama 3's looking up of whole pieces.
constexpr std::string_view kDbrxNames[] = {"dbrx", "smaug-bpe"};

constexpr std::string_view kQwen2Names[] = {"qwen2"};
constexpr std::string_view kQwenDistilledNames[] = {"deepseek-r1-qwen", "hunyuan", "megrez", "stablelm2"};
constexpr std::string_view kQwen2[] = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

constexpr std::string_view kTekkenNames[] = {"tekken"};
constexpr std::string_view kTekken[] = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

constexpr std::string_view kDeepseekCoderNames[] = {"deepseek-coder"};
constexpr std::string_view kDeepseekCoder[] = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                               "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", R"(\p{N})"};

// No tokenizer's own: what llama.cpp does for files that name no rule.
constexpr std::string_view kDefaultNames[] = {"default"};
constexpr std::string_view kDefault[] = {R"([\p{P}\$\+<=>\^~\|]+)",
                                         R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))",
                                         R"(\p{N}+)", R"([0-9][0-9][0-9])"};

constexpr SplitRule kRules[] = {
    {.names = kGpt2Names, .patterns = {}, .thenAsGpt2 = true},
    {.names = kDigitNames, .patterns = kDigits, .thenAsGpt2 = true},
    {.names = kLlama3Names, .patterns = kLlama3, .wholePieces = WholePieces::LookedUp, .beginsWithBos = true},
    {.names = kDbrxNames, .patterns = kLlama3},
    {.names = kQwen2Names, .patterns = kQwen2, .normalForm = NormalForm::Nfc},
    {.names = kQwenDistilledNames, .patterns = kQwen2},
    {.names = kTekkenNames, .patterns = kTekken, .wholePieces = WholePieces::LookedUp, .beginsWithBos = true},
    {.names = kDeepseekCoderNames, .patterns = kDeepseekCoder},
    {.names = kDefaultNames, .patterns = kDefault},
};

}  // namespace

const SplitRule* splitRuleNamed(std::string_view name) {
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules), [&](const SplitRule& rule) {
    return std::find(rule.names.begin(), rule.names.end(), name) != rule.names.end();
  });
  return found == std::end(kRules) ? nullptr : found;
}

std::string splitRuleNames() {
  std::string names;
  for (const SplitRule& rule : kRules) {
    for (const std::string_view name : rule.names) names.append(names.empty() ? "" : ", ").append(name);
  }
  return names;
}

Pretokenizer pretokenizerOf(const SplitRule& rule) {
  std::vector<Pretokenizer::Step> steps;
  for (const std::string_view pattern : rule.patterns) {
    const std::string name(rule.names.front());
    steps.emplace_back(SplitStep{std::make_shared<const UnicodeRegex>(
        toPcre2(std::string(pattern), PatternDialect::Oniguruma, name), std::string(pattern), name)});
  }
  if (rule.thenAsGpt2) steps.emplace_back(gpt2Split());
  return Pretokenizer(std::move(steps));
}

}  // namespace core::tokenizer
