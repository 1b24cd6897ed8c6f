// nanochat's meta_<step>.json and the version that wrote the model, as numbers that agree with each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/json.h"
#include "core/checkpoint/tensor_store.h"
#include "core/model_info.h"

namespace core::checkpoint::nanochat {

/// What to do about numbers that don't fit.
inline constexpr std::string_view kSaveTogether =
    "Open the model_ and meta_ files that one run of training saved together.";

struct Config {
  ModelConfig numbers;
  std::vector<std::string> defaults;  ///< keys and tensors of later versions that are absent, with what stands for them
  std::vector<std::string> ignored;   ///< keys of model_config that don't change the arithmetic
};

/// meta: the whole file. The tensors' names and shapes tell the version.
/// Errors: Mismatch for missing, mistyped or impossible numbers, with both numbers; Unsupported for keys and tensors of
/// versions that are not known, by name.
Config readConfig(const Json& meta, const std::string& file, const TensorStore& tensors);

}  // namespace core::checkpoint::nanochat
