// Scales and colour maps by the words of the command line.
#pragma once

#include <array>
#include <utility>

#include "widgets/state/colouring.h"

namespace app {

inline constexpr std::array kScaleWords{std::pair{"linear", widgets::Scale::Linear},
                                        std::pair{"sqrt", widgets::Scale::SquareRoot},
                                        std::pair{"log", widgets::Scale::Log}, std::pair{"row", widgets::Scale::PerRow},
                                        std::pair{"percentile", widgets::Scale::Percentile}};

inline constexpr std::array kColormapWords{
    std::pair{"viridis", widgets::ColormapName::Viridis}, std::pair{"magma", widgets::ColormapName::Magma},
    std::pair{"inferno", widgets::ColormapName::Inferno}, std::pair{"cividis", widgets::ColormapName::Cividis},
    std::pair{"grey", widgets::ColormapName::Grey},       std::pair{"diverging", widgets::ColormapName::Diverging}};

/// The word of a value that the table has.
template <class Table, class Value>
constexpr const char* wordOf(const Table& table, Value value) {
  for (const auto& [word, candidate] : table)
    if (candidate == value) return word;
  return "";
}

}  // namespace app
