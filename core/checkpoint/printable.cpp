#include "core/checkpoint/printable.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/tokenizer/utf8.h"

namespace core::checkpoint {

std::string inQuotes(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string shown = "'";
  for (std::size_t i = 0; i < text.size();) {
    if (shown.size() > kLongest) {
      shown += "...";
      break;
    }
    const tokenizer::CodePoint point = tokenizer::codePointAt(text, i);
    const bool control = point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0);
    if (point.valid && !control) {
      shown += text.substr(i, point.length);
    } else {
      for (const char byte : text.substr(i, point.length))
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    i += point.length;
  }
  return shown + "'";
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string grouped(std::int64_t number) {
  if (number >= 0) return grouped(static_cast<std::uint64_t>(number));
  return fmt::format("-{}", grouped(std::uint64_t{0} - static_cast<std::uint64_t>(number)));
}

std::string shapeText(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  return text + ")";
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", inQuotes(names[i]));
  if (names.size() > most) text += fmt::format(" and {} more", grouped(std::uint64_t{names.size() - most}));
  return text;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

}  // namespace core::checkpoint
