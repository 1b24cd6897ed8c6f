// A first look over JSON text, so that parsing it takes no more memory and nesting than was agreed.
#pragma once

#include <string>
#include <string_view>

#include "core/checkpoint/json.h"

namespace core::checkpoint {

/// Counts nesting, values and lengths without understanding the text: what is malformed is left to the parser, which
/// stops there and has seen no more than was counted. `origin` begins every sentence.
/// Errors: TooLarge, with the byte where; Corrupt for a NUL byte, which the parser would take for the end.
void requireLimits(std::string_view text, const std::string& origin, const JsonLimits& limits);

}  // namespace core::checkpoint
