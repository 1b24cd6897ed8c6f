// Bytes as text. Source: RFC 4648, section 4.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace core {

std::string toBase64(std::string_view bytes);

/// Nothing for a text that is not exactly one that toBase64() gives.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace core
