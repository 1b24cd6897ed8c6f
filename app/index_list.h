// Lists of layers and heads as people write them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace app {

/// "0,2,5-7" as 0 2 5 6 7, in the order given. nullopt when it is not such a list, goes backwards ("7-5"), or has over
/// 10,000 numbers.
std::optional<std::vector<int>> parseIndexList(std::string_view text);

}  // namespace app
