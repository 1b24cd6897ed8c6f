// Lists and ranges of layers, heads, rows and columns as people write them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/attention_mask.h"

namespace app {

/// "0,2,5-7" as 0 2 5 6 7, in the order given. nullopt when it is not such a list, goes backwards ("7-5"), or has over
/// 10,000 numbers.
std::optional<std::vector<int>> parseIndexList(std::string_view text);

/// The same for places in a prompt, of which there may be 1,000,000.
std::optional<std::vector<core::Position>> parsePositions(std::string_view text);

/// "5:8" as [5, 8): 5, 6, 7. nullopt when it is not such a range, or an empty one.
std::optional<core::PositionRange> parsePositionRange(std::string_view text);

}  // namespace app
