// From what length on flash pays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/speed_report.h"

namespace core {

/// Where flash begins to pay, over the lengths of one window and type.
struct Crossing {
  AttentionShape shape;                                   ///< T is not used
  std::optional<std::int64_t> slowerAt = std::nullopt;    ///< the largest T where flash is not faster than manual
  std::optional<std::int64_t> fasterFrom = std::nullopt;  ///< the smallest T from which on it always is
  std::optional<double> tokens = std::nullopt;            ///< between these two, by a line through the logarithms
  std::string sentence = {};
};

/// For each group of rows that differ in T alone, where manual and flash ran at two lengths at least.
std::vector<Crossing> crossings(const SpeedReport& report);

}  // namespace core
