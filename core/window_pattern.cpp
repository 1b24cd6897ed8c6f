#include "core/window_pattern.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "core/error.h"

namespace core {

namespace {

constexpr std::int64_t kStep = 128;

std::string shown(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  if (std::isprint(byte) != 0) return std::string("'") + letter + "'";
  return "a character that is no letter";
}

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool isAll(std::string_view word) {
  constexpr std::string_view kAll = "all";
  return std::equal(word.begin(), word.end(), kAll.begin(), kAll.end(),
                    [](unsigned char a, char b) { return std::tolower(a) == b; });
}

Window widthOf(std::string_view word, std::size_t place) {
  if (isAll(word)) return {};
  std::int64_t left = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, left);
  if (error != std::errc() || stop != end || left < 0 || left == Window::kNoLimit) {
    throw Error(ErrorKind::Mismatch, "Width " + std::to_string(place) + " of the windows is \"" +
                                         std::string(word.substr(0, 40)) +
                                         "\"; a width is how many tokens back a layer looks, a whole number from 0, or "
                                         "\"all\": \"128, 128, all\".");
  }
  return {left};
}

}  // namespace

const char* word(MaskKind kind) { return kind == MaskKind::Causal ? "causal" : "bidirectional"; }

std::vector<Window> windowsOf(std::string_view pattern, int layers, const WindowRule& rule) {
  if (pattern.empty())
    throw Error(ErrorKind::Mismatch, "The window pattern is empty. Write it with S and L: \"SSSL\".");
  std::vector<Window> windows;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const int letter = std::toupper(static_cast<unsigned char>(pattern[i]));
    if (letter == 'S' || letter == 'L') continue;
    throw Error(ErrorKind::Mismatch, "The window pattern has " + shown(pattern[i]) + " as letter " +
                                         std::to_string(i + 1) +
                                         "; only S (short) and L (long) have a meaning: \"SSSL\".");
  }
  for (int layer = 0; layer < layers; ++layer) {
    const char letter = pattern[static_cast<std::size_t>(layer) % pattern.size()];
    const bool isShort = (letter == 'S' || letter == 's') && layer + 1 < layers;
    windows.push_back(isShort ? rule.shortWindow : rule.longWindow);
  }
  return windows;
}

std::vector<Window> widthsOf(std::string_view list) {
  std::vector<Window> windows;
  for (auto at = list.begin();;) {
    const auto comma = std::find(at, list.end(), ',');
    auto word = std::find_if_not(at, comma, isSpace);
    if (word == comma) return {widthOf("", windows.size() + 1)};  // refused there
    while (word != comma) {
      const auto end = std::find_if(word, comma, isSpace);
      windows.push_back(widthOf({word, end}, windows.size() + 1));
      word = std::find_if_not(end, comma, isSpace);
    }
    if (comma == list.end()) return windows;
    at = comma + 1;
  }
}

bool isListOfWidths(std::string_view text) {
  return isAll(text) ||
         std::any_of(text.begin(), text.end(), [](char c) { return c == ',' || (c >= '0' && c <= '9'); });
}

std::string widthsText(const std::vector<Window>& windows) {
  std::string text;
  for (const Window window : windows) {
    text += text.empty() ? "" : ", ";
    text += window.limited() ? std::to_string(window.left) : "all";
  }
  return text;
}

char letterOf(Window window, const WindowRule& rule) { return window < rule.longWindow ? 'S' : 'L'; }

Window shareOfContext(std::int64_t context, std::int64_t divisor) {
  const std::int64_t share = (context + divisor - 1) / divisor;
  return {(share + kStep - 1) / kStep * kStep};
}

}  // namespace core
