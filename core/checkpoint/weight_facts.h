// What the numbers of a model tell before anything runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint {

/// What a look at a tensor's elements found.
struct WeightFacts {
  std::uint64_t elements = 0;
  std::uint64_t notFinite = 0;  ///< NaN or infinite
  bool allZero = true;
};

/// Looks at further elements of a tensor: whole ones, of a float type.
void lookAt(DType type, std::span<const std::byte> bytes, WeightFacts& facts);

/// Sentences for weights that will make every map useless: NaN, infinity, or nothing but zeros. Names the tensors.
std::vector<std::string> weightWarnings(const std::map<std::string, WeightFacts>& facts);

/// "fp32", "bf16 + fp32": the types in use, most bytes first.
std::string storedTypes(const std::map<std::string, Tensor>& tensors);

/// Weights, those that share their data counted once.
std::int64_t parameterCount(const std::map<std::string, Tensor>& tensors);

}  // namespace core::checkpoint
