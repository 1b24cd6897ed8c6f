#include "core/number_text.h"

#include <cstdio>

namespace core {

std::string numberText(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.7g", number);
  return digits;
}

std::string bytesText(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text,
                unit == 0 || value >= 99.95 ? "%.0f %s"
                : value >= 9.995            ? "%.1f %s"
                                            : "%.2f %s",
                value, kUnits[unit]);
  return text;
}

}  // namespace core
