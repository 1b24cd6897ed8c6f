// What the numbers of a model tell before anything runs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint {

/// Sentences for weights that will make every map useless: NaN, infinity, or nothing but zeros. Names the tensors.
std::vector<std::string> weightWarnings(const std::map<std::string, Tensor>& tensors);

/// "fp32", "bf16 + fp32": the types in use, most bytes first.
std::string storedTypes(const std::map<std::string, Tensor>& tensors);

/// Weights, those that share their data counted once.
std::int64_t parameterCount(const std::map<std::string, Tensor>& tensors);

}  // namespace core::checkpoint
