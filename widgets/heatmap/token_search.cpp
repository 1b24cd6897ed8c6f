#include "widgets/heatmap/token_search.h"

#include <algorithm>

namespace widgets {

namespace {

/// The prompt as text, and the token of each of its UTF-16 units.
struct Prompt {
  QString text;
  std::vector<core::Position> tokenOf;
};

/// The length in bytes of the character that begins with this byte.
std::size_t lengthOf(unsigned char first) { return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4; }

Prompt promptOf(const std::vector<core::TokenText>& tokens) {
  std::string bytes;
  std::vector<core::Position> tokenOfByte;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    bytes += tokens[i].bytes;
    tokenOfByte.resize(bytes.size(), static_cast<core::Position>(i));
  }
  Prompt prompt;
  // Character by character, so that one that several tokens share is the first one's, and damage stays where it is.
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = std::min(lengthOf(static_cast<unsigned char>(bytes[at])), bytes.size() - at);
    const QString character = QString::fromUtf8(bytes.data() + at, static_cast<qsizetype>(length));
    prompt.text += character;
    prompt.tokenOf.resize(static_cast<std::size_t>(prompt.text.size()), tokenOfByte[at]);
    at += length;
  }
  return prompt;
}

}  // namespace

std::vector<core::PositionRange> placesOf(const QString& text, const std::vector<core::TokenText>& tokens) {
  std::vector<core::PositionRange> places;
  if (text.isEmpty()) return places;
  const Prompt prompt = promptOf(tokens);
  for (qsizetype at = 0; (at = prompt.text.indexOf(text, at, Qt::CaseInsensitive)) >= 0; at += text.size()) {
    const core::Position first = prompt.tokenOf[static_cast<std::size_t>(at)];
    const core::Position last = prompt.tokenOf[static_cast<std::size_t>(at + text.size() - 1)];
    places.push_back({first, last + 1});
  }
  return places;
}

core::KeySet tokensOf(const std::vector<core::PositionRange>& places) {
  std::vector<core::Position> tokens;
  for (const core::PositionRange& place : places)
    for (core::Position token = place.begin; token < place.end; ++token) tokens.push_back(token);
  return core::KeySet(std::move(tokens));
}

}  // namespace widgets
