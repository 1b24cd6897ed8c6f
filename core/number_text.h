// Numbers as sentences have them.
#pragma once

#include <cstdint>
#include <string>

namespace core {

/// Seven digits at most: "100000", "1.15".
std::string numberText(double number);

/// "51.5 GB", "640 kB": decimal, three digits.
std::string bytesText(std::int64_t bytes);

}  // namespace core
