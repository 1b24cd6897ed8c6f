// JSON from a file, strictly: what two readers could understand differently is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/checkpoint/file.h"

namespace core::checkpoint {

using Json = nlohmann::json;

struct JsonLimits {
  std::uint64_t bytes = 0;  ///< of the whole text
  std::size_t depth = 64;   ///< of nesting
  std::uint64_t values = 2'000'000;
  std::uint64_t stringBytes = 1u << 20;  ///< of one string
};

/// config.json and meta_<step>.json: the largest that are published have some thousands of values.
inline constexpr JsonLimits kConfigJson{.bytes = 1u << 20, .values = 100'000};
/// The index of a sharded model, a value a tensor: the largest that are published have 9 MB and 92,000 tensors.
inline constexpr JsonLimits kIndexJson{.bytes = 16u << 20, .depth = 16, .values = 130'000};

/// `origin` begins every sentence: "/x/config.json".
/// Errors: Corrupt (not UTF-8, no JSON, a byte-order mark, a duplicate key, a number that no double holds, anything
/// after the end), with the byte where; TooLarge above a limit.
Json parseJson(std::string_view text, const std::string& origin, const JsonLimits& limits);

/// A whole file. Errors: as parseJson, those of File::read.
Json readJson(const File& file, const JsonLimits& limits);

}  // namespace core::checkpoint
