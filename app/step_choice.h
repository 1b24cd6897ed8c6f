// One checkpoint of a folder that may hold several.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/openable.h"

namespace app {

/// The only one, or the one of that step. offers: at least one, of that location.
/// Errors: Mismatch when none or several fit, with the list of all in the details.
std::filesystem::path chooseStep(const std::filesystem::path& location, const std::vector<core::Openable>& offers,
                                 std::optional<std::int64_t> step);

}  // namespace app
