#include "core/tokenizer/token_label.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/tokenizer/unicode_regex.h"
#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

constexpr std::string_view kSpaceMark = "\u2423";
constexpr std::string_view kNewlineMark = "\u23CE";
constexpr std::string_view kTabMark = "\u21E5";
constexpr std::string_view kDottedCircle = "\u25CC";  // what a lone combining mark is drawn on

std::string escaped(const char* format, unsigned value) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string hexByte(char byte) { return escaped("\\x%02x", static_cast<unsigned char>(byte)); }

/// Characters without a picture of their own: controls, formats, private and unassigned ones, separators, variation
/// selectors, blank letters, and the replacement mark, which would read as damage of ours.
bool isInvisible(std::string_view character) {
  static const UnicodeRegex regex(
      R"([\p{C}\p{Z}\x{fe00}-\x{fe0f}\x{e0100}-\x{e01ef}\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{2800}\x{3164}\x{ffa0}\x{fffd}])");
  return regex.matches(character);
}

bool isCombining(std::string_view character) {
  static const UnicodeRegex regex(R"(\p{M})");
  return regex.matches(character);
}

/// Adds one valid character to a label.
void appendCharacter(std::string& label, std::string_view character, char32_t value) {
  if (value == ' ') {
    label += kSpaceMark;
  } else if (value == '\n') {
    label += kNewlineMark;
  } else if (value == '\t') {
    label += kTabMark;
  } else if (value > ' ' && value < 0x7F) {
    label += character;
  } else if (isInvisible(character)) {
    label += escaped(value > 0xFFFF ? "\\U%08x" : "\\u%04x", static_cast<unsigned>(value));
  } else {
    if (label.empty() && isCombining(character)) label += kDottedCircle;
    label += character;
  }
}

}  // namespace

std::string visibleText(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size();) {
    const CodePoint point = codePointAt(bytes, i);
    if (point.valid) {
      appendCharacter(text, bytes.substr(i, point.length), point.value);
    } else {
      text += hexByte(bytes[i]);
    }
    i += point.length;
  }
  return text;
}

std::vector<TokenText> labelTokens(const std::vector<TokenId>& ids, const std::vector<std::string>& bytes) {
  std::string all;
  for (const std::string& piece : bytes) all += piece;

  std::vector<TokenText> tokens;
  tokens.reserve(ids.size());
  std::size_t characterAt = 0;  // start of the character that the next byte belongs to
  std::size_t at = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    TokenText token{ids[i], bytes[i], {}};
    const std::size_t end = at + bytes[i].size();
    while (at < end) {
      const CodePoint point = codePointAt(all, characterAt);
      const std::size_t characterEnd = characterAt + point.length;
      const std::string_view character = std::string_view(all).substr(characterAt, point.length);
      const std::size_t pieceEnd = std::min(characterEnd, end);
      if (point.valid && at == characterAt && pieceEnd == characterEnd) {
        appendCharacter(token.label, character, point.value);
      } else {
        for (; at < pieceEnd; ++at) token.label += hexByte(all[at]);
        if (point.valid) token.label.append("(").append(visibleText(character)).append(")");
      }
      at = pieceEnd;
      if (at == characterEnd) characterAt = characterEnd;
    }
    if (token.label.empty()) token.label.append("#").append(std::to_string(ids[i]));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace core::tokenizer
