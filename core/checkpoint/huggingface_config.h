// config.json as numbers that agree with each other. Source: transformers 4.x and 5.x, configuration_*.py of each
// model.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/json.h"
#include "core/model_info.h"

namespace core::checkpoint::huggingface {

struct Config {
  ModelConfig numbers;
  std::vector<std::string> defaults;  ///< "rope_theta 10000": keys that were absent and matter
  std::vector<std::string> ignored;   ///< keys that the family's code does not read
  std::vector<std::string> warnings;  ///< sentences for the load report
};

/// `file` begins every sentence.
/// Errors: Mismatch for missing, mistyped or impossible numbers, with both numbers; Unsupported for a model_type that
/// is not read here (listing those that are) and, by name, for a key that changes the arithmetic otherwise than is
/// built.
Config readConfig(const Json& json, const std::string& file);

}  // namespace core::checkpoint::huggingface
