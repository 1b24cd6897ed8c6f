#include "core/words.h"

#include <algorithm>
#include <optional>

#include "core/tokenizer/token_label.h"
#include "core/tokenizer/unicode_regex.h"
#include "core/tokenizer/utf8.h"
#include "core/tokenizer/white_space.h"

namespace core {

namespace {

// Possessive, so that nothing is tried twice.
constexpr std::string_view kWordPattern = R"( ?[\p{Han}\p{Hiragana}\p{Katakana}]\p{M}*+)"
                                          R"(| ?(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}\p{N}_])++)"
                                          R"((?:['’](?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{M}\p{N}])++)*+)"
                                          "| ?[^" HEADSCOPE_WHITE_SPACE R"(\p{L}\p{M}\p{N}_]++)"
                                          R"(|[\r\n]++)"
                                          "|[" HEADSCOPE_WHITE_SPACE "]";

/// The text with a letter for every byte that is not UTF-8, so that places stay the same.
std::string validText(const std::vector<TokenText>& tokens) {
  std::string text;
  for (const TokenText& token : tokens) text += token.bytes;
  for (std::size_t i = 0; i < text.size();) {
    const tokenizer::CodePoint point = tokenizer::codePointAt(text, i);
    if (!point.valid) text[i] = 'x';
    i += point.length;
  }
  return text;
}

std::string labelOf(const std::vector<TokenText>& tokens, const PositionRange& pieces) {
  std::string bytes;
  for (Position i = pieces.begin; i < pieces.end; ++i) bytes += tokens[static_cast<std::size_t>(i)].bytes;
  if (bytes.empty()) return tokens[static_cast<std::size_t>(pieces.begin)].label;
  return tokenizer::visibleText(bytes);
}

}  // namespace

std::vector<Word> wordsOf(const std::vector<TokenText>& tokens) {
  using Regex = tokenizer::UnicodeRegex;
  static const Regex regex(kWordPattern);
  const std::string text = validText(tokens);
  Regex::Scanner scanner(regex, text.size());

  std::vector<Word> words;
  std::optional<Regex::Match> match = scanner.find(text, 0);
  std::optional<std::size_t> wordBegin;  // where in the text the word of the last token begins
  std::size_t at = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto position = static_cast<Position>(i);
    while (match && match->end <= at) match = scanner.find(text, match->end);
    const bool hasBytes = !tokens[i].bytes.empty();
    if (hasBytes && match && wordBegin == match->begin) {
      words.back().tokens.end = position + 1;
    } else {
      words.push_back({{position, position + 1}, {}});
    }
    wordBegin = hasBytes && match ? std::optional(match->begin) : std::nullopt;
    at += tokens[i].bytes.size();
  }
  for (Word& word : words) word.label = labelOf(tokens, word.tokens);
  return words;
}

}  // namespace core
