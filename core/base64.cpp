#include "core/base64.h"

#include <array>
#include <cstdint>

namespace core {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = (bits << 8) | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= three.size() ? kDigits[(bits >> (18 - 6 * i)) & 63u] : '=';
  }
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t bits = 0;
    for (const char digit : text.substr(at, 4)) {
      const std::size_t value = kDigits.find(digit);
      bits = (bits << 6) | (value == std::string_view::npos ? 0u : static_cast<std::uint32_t>(value));
    }
    for (std::size_t i = 0; i < 3; ++i) bytes += static_cast<char>((bits >> (16 - 8 * i)) & 0xFF);
  }
  for (int padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0; padding > 0; --padding) bytes.pop_back();
  if (toBase64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace core
