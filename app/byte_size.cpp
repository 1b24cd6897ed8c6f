#include "app/byte_size.h"

#include <cctype>
#include <charconv>
#include <limits>

namespace app {

std::optional<std::int64_t> parseByteSize(std::string_view text) {
  constexpr std::string_view kUnits = "BKMG";
  if (text.empty()) return std::nullopt;
  const std::size_t unit = kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
  const std::int64_t factor = std::int64_t{1} << (10 * unit);
  if (number > std::numeric_limits<std::int64_t>::max() / factor) return std::nullopt;
  return number * factor;
}

}  // namespace app
