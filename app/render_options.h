// The options of `headscope render`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>

#include "app/cli.h"

namespace app {

void addRender(CLI::App& command, Arguments& arguments);

/// What the options only tell together. Errors: CLI::ValidationError, when a picture is asked for that the file can't
/// be, or options that don't go with each other.
void requireFittingPicture(const Arguments& arguments);

/// "-3.5:2" as a range; nullopt when it is not two finite numbers, the second the larger.
std::optional<core::ValueRange> parseValueRange(std::string_view text);

/// "2.3" as layer 2, head 3; nullopt when it is not.
std::optional<core::HeadId> parseHead(std::string_view text);

/// Stands under the options in the help.
extern const char* const kRenderExamples;

}  // namespace app
