// Which files an Open dialog offers.
#pragma once

#include <string>

namespace core {

/// The patterns of every format, separated by spaces. What opens is decided by content, so "all files" belongs beside
/// them.
std::string openPatterns();

}  // namespace core
