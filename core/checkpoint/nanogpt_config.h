// nanoGPT's model_args as numbers that agree with each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/pickle.h"
#include "core/model_info.h"

namespace core::checkpoint::nanogpt {

/// What to do about model_args that don't fit.
inline constexpr std::string_view kSaveWithItsConfig =
    "Save the checkpoint again with the model_args that the model was built with.";

struct Config {
  ModelConfig numbers;
  bool biasWasAbsent = false;        ///< files from before the option; it means True
  std::vector<std::string> ignored;  ///< keys that don't change the arithmetic
};

/// `file` begins every sentence.
/// Errors: Mismatch for a missing, mistyped or impossible number, with both numbers; Unsupported for a key that would
/// change the arithmetic.
Config readConfig(const pickle::Value& modelArgs, const std::string& file);

}  // namespace core::checkpoint::nanogpt
