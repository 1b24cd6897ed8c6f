#include "app/index_list.h"

#include <charconv>

namespace app {

namespace {

constexpr std::size_t kMostNumbers = 10'000;

std::optional<int> parseIndex(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::vector<int>> parseIndexList(std::string_view text) {
  std::vector<int> indexes;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = parseIndex(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parseIndex(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int index = *first;; ++index) {
      if (indexes.size() == kMostNumbers) return std::nullopt;
      indexes.push_back(index);
      if (index == *last) break;
    }
    if (comma == std::string_view::npos) return indexes;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace app
