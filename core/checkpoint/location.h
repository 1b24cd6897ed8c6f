// What a person types, drops or passes as a path, as a path.
#pragma once

#include <filesystem>
#include <string_view>

namespace core::checkpoint {

/// A leading "~" or "~/" is the home folder; file:// URLs (empty host or localhost) lose scheme and %-escapes.
/// Relative paths become absolute, so that a path shown later still says which file it was.
/// Errors: NotAFile for another URL scheme, another host, a bad %-escape or a NUL inside.
std::filesystem::path resolve(std::string_view location);

}  // namespace core::checkpoint
