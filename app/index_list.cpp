#include "app/index_list.h"

#include <charconv>

namespace app {

namespace {

constexpr std::size_t kMostIndexes = 10'000;
constexpr std::size_t kMostPositions = 1'000'000;

template <class Number>
std::optional<Number> parseNumber(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <class Number>
std::optional<std::vector<Number>> parseList(std::string_view text, std::size_t most) {
  std::vector<Number> numbers;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    const auto first = parseNumber<Number>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parseNumber<Number>(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (Number number = *first;; ++number) {
      if (numbers.size() == most) return std::nullopt;
      numbers.push_back(number);
      if (number == *last) break;
    }
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::optional<std::vector<int>> parseIndexList(std::string_view text) { return parseList<int>(text, kMostIndexes); }

std::optional<std::vector<core::Position>> parsePositions(std::string_view text) {
  return parseList<core::Position>(text, kMostPositions);
}

std::optional<core::PositionRange> parsePositionRange(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto begin = parseNumber<core::Position>(text.substr(0, colon));
  const auto end = parseNumber<core::Position>(text.substr(colon + 1));
  if (!begin || !end || *end <= *begin) return std::nullopt;
  return core::PositionRange{*begin, *end};
}

}  // namespace app
