#include "core/window_pattern.h"

#include <cctype>

#include "core/error.h"

namespace core {

namespace {

constexpr std::int64_t kStep = 128;

std::string shown(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  if (std::isprint(byte) != 0) return std::string("'") + letter + "'";
  return "a character that is no letter";
}

}  // namespace

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

char letterOf(Window window, const WindowRule& rule) { return window < rule.longWindow ? 'S' : 'L'; }

Window shareOfContext(std::int64_t context, std::int64_t divisor) {
  const std::int64_t share = (context + divisor - 1) / divisor;
  return {(share + kStep - 1) / kStep * kStep};
}

}  // namespace core
