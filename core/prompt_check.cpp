#include "core/prompt_check.h"

#include <algorithm>
#include <charconv>

#include "core/tokenizer/tokenizer.h"

namespace core {

namespace {

using Problem = PromptCheck::Problem;

/// "'€', 'é' and 3 more"
std::string listed(const std::vector<std::string>& pieces) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t n = 0; n < std::min(pieces.size(), kShown); ++n) text += (n == 0 ? "'" : ", '") + pieces[n] + "'";
  if (pieces.size() > kShown) text += " and " + std::to_string(pieces.size() - kShown) + " more";
  return text;
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

std::string idRange(const ModelConfig& config) {
  return "ids are whole numbers from 0 to " + std::to_string(config.vocabulary - 1);
}

}  // namespace

ErrorKind kindOf(PromptCheck::Problem problem) {
  return problem == PromptCheck::Problem::TooLong ? ErrorKind::TooLarge : ErrorKind::Mismatch;
}

PromptCheck checkText(std::string_view text, const tokenizer::Tokenizer* tokenizer, Prefix prefix, Specials specials,
                      const ModelConfig& config) {
  if (tokenizer == nullptr) {
    return {.problem = Problem::NoTokenizer,
            .sentence = "This model has no tokenizer. Choose a tokenizer file, or type the prompt as token ids."};
  }
  tokenizer::Encoding encoding;
  try {
    encoding = tokenizer->encode(text, specials);
  } catch (const Error& error) {  // a split pattern from a file that takes too long on this text
    return {.problem = Problem::NotEncodable, .sentence = error.what()};
  }
  std::vector<TokenId> tokens = prefix == Prefix::AsTrained ? tokenizer->prefix() : std::vector<TokenId>();
  tokens.insert(tokens.end(), encoding.ids.begin(), encoding.ids.end());
  if (std::all_of(text.begin(), text.end(), isSpace)) {
    return {.tokens = std::move(tokens),
            .problem = Problem::Empty,
            .sentence = text.empty() ? "The prompt is empty. Type some text."
                                     : "The prompt holds only white space. Type some text, or give its tokens as ids."};
  }
  if (!encoding.notEncodable.empty()) {
    const std::size_t count = encoding.notEncodable.size();
    return {.tokens = std::move(tokens),
            .problem = Problem::NotEncodable,
            .sentence = "This model's tokenizer (" + tokenizer->description() + ") has no token for " +
                        std::to_string(count) + (count == 1 ? " letter" : " letters") + " of the prompt: " +
                        listed(encoding.notEncodable) + ". Remove or replace " + (count == 1 ? "it." : "them.")};
  }
  return checkTokens(std::move(tokens), config);
}

PromptCheck checkIds(std::string_view ids, const ModelConfig& config) {
  std::vector<TokenId> tokens;
  const auto refused = [&](std::string_view word) -> PromptCheck {
    const std::string which = "Token " + std::to_string(tokens.size() + 1);
    return {.tokens = std::move(tokens),
            .problem = Problem::NotATokenId,
            .sentence = which + " is \"" + std::string(word.substr(0, 40)) + "\": " + idRange(config) + "."};
  };
  const bool blank = std::all_of(ids.begin(), ids.end(), isSpace);
  for (auto at = ids.begin(); !blank;) {
    const auto comma = std::find(at, ids.end(), ',');
    auto word = std::find_if_not(at, comma, isSpace);
    if (word == comma) return refused("");  // "1,,2"
    while (word != comma) {
      const auto end = std::find_if(word, comma, isSpace);
      TokenId id = 0;
      const char* last = ids.data() + (end - ids.begin());
      const auto [stop, error] = std::from_chars(ids.data() + (word - ids.begin()), last, id);
      if (error != std::errc() || stop != last) return refused({word, end});
      tokens.push_back(id);
      word = std::find_if_not(end, comma, isSpace);
    }
    if (comma == ids.end()) break;
    at = comma + 1;
  }
  return checkTokens(std::move(tokens), config);
}

PromptCheck checkTokens(std::vector<TokenId> tokens, const ModelConfig& config) {
  PromptCheck check{.tokens = std::move(tokens)};
  const auto count = static_cast<std::int64_t>(check.tokens.size());
  const auto outside = std::find_if(check.tokens.begin(), check.tokens.end(),
                                    [&](TokenId id) { return id < 0 || id >= config.vocabulary; });
  if (count == 0) {
    check.problem = Problem::Empty;
    check.sentence = "The prompt has no tokens. Type some.";
  } else if (outside != check.tokens.end()) {
    check.problem = Problem::NotATokenId;
    check.sentence = "Token " + std::to_string(outside - check.tokens.begin() + 1) + " is " + std::to_string(*outside) +
                     ", which this model does not have: " + idRange(config) + ".";
  } else if (count > config.longestPrompt) {
    const std::string limit = std::to_string(config.longestPrompt);
    check.problem = Problem::TooLong;
    check.sentence = "The prompt has " + std::to_string(count) + " tokens; this model reads at most " + limit +
                     ". Use its first or last " + limit + " tokens, or shorten it.";
  } else if (count > config.context) {
    check.notice = "The prompt has " + std::to_string(count) + " tokens; training saw at most " +
                   std::to_string(config.context) + " at once.";
  }
  return check;
}

}  // namespace core
