#include "core/tokenizer/pretokenizer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

// \s of the upstream regex engines, written out: PCRE2's own \s also takes U+180E, which left the spaces in
// Unicode 6.3.
#define HEADSCOPE_SPACES \
  R"(\x{9}-\x{d}\x{20}\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"

// Words, numbers and signs never need to give a character back, so they are possessive: no backtracking.
constexpr std::string_view kGpt2Pattern =
    "'(?:[stmd]|re|ve|ll)"
    R"(| ?\p{L}++)"
    R"(| ?\p{N}++)"
    "| ?[^" HEADSCOPE_SPACES R"(\p{L}\p{N}]++)"
    "|[" HEADSCOPE_SPACES "]+(?![^" HEADSCOPE_SPACES
    "])"
    "|[" HEADSCOPE_SPACES "]+";

#undef HEADSCOPE_SPACES

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The text with each byte that is not UTF-8 replaced, and the way back.
struct Shadow {
  std::string text;
  std::vector<std::size_t> replaced;  ///< places of the replacements in `text`, ascending
};

bool isUtf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    if (!point.valid) return false;
    i += point.length;
  }
  return true;
}

Shadow makeShadow(std::string_view text) {
  Shadow shadow;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    if (point.valid) {
      shadow.text += text.substr(i, point.length);
    } else {
      shadow.replaced.push_back(shadow.text.size());
      shadow.text += kReplacement;
    }
    i += point.length;
  }
  return shadow;
}

}  // namespace

Pretokenizer::Pretokenizer() : m_pattern(kGpt2Pattern) {}

void Pretokenizer::split(std::string_view text, const std::function<void(std::string_view)>& piece) const {
  Shadow shadow;
  const bool valid = isUtf8(text);
  if (!valid) shadow = makeShadow(text);
  const std::string_view seen = valid ? text : std::string_view(shadow.text);

  UnicodeRegex::Scanner scanner(m_pattern, seen);
  auto replaced = shadow.replaced.cbegin();
  std::size_t sourceAt = 0;
  for (std::size_t at = 0; at < seen.size();) {
    std::size_t length = scanner.matchAt(at);
    // The pattern covers every character; should the engine ever give up, a piece is one character and nothing is lost.
    if (length == 0) length = codePointAt(seen, at).length;
    const auto last = std::lower_bound(replaced, shadow.replaced.cend(), at + length);
    const auto replacements = static_cast<std::size_t>(last - replaced);
    const std::size_t sourceLength = length - replacements * (kReplacement.size() - 1);
    piece(text.substr(sourceAt, sourceLength));
    replaced = last;
    sourceAt += sourceLength;
    at += length;
  }
}

}  // namespace core::tokenizer
