// Numbers and texts of a JSON config, checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/checkpoint/json.h"

namespace core::checkpoint {

/// A size that a config may have: far above any model of this kind, and small enough that no product of two of them
/// overflows.
inline constexpr std::int64_t kLargestSize = 1 << 24;

/// Far above any model; what a config claims is written out for every layer.
inline constexpr int kMostLayers = 10'000;

/// `where` begins every sentence and names the object: "/x/meta_000100.json: model_config"; `advice` ends it.
/// Errors: Mismatch when the key is missing, no whole number or outside 1 .. kLargestSize.
std::int64_t sizeAt(const Json& object, std::string_view key, const std::string& where, std::string_view advice);

/// The number of layers. Errors: as sizeAt, with kMostLayers as the limit.
int layersAt(const Json& object, std::string_view key, const std::string& where, std::string_view advice);

/// A value as a sentence shows it, cut to a line: "true", "12", "'gelu'", "an object".
std::string shown(const Json& value);

}  // namespace core::checkpoint
