// Amounts of memory as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace app {

/// "4G", "512M", "64K", "1000B" in bytes, in steps of 1024; letters in any case. nullopt when it is not such a size, 0,
/// or more than a std::int64_t holds.
std::optional<std::int64_t> parseByteSize(std::string_view text);

}  // namespace app
