// RoPE as config.json spells it: rope_theta with rope_scaling (transformers 4), or rope_parameters (5).
// Source: transformers, modeling_rope_utils.py.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/huggingface_keys.h"
#include "core/model_info.h"

namespace core::checkpoint::huggingface {

/// Fills ropeScaling and trained.ropeBase; numbers.context is set before. Keys of the rule that it does not read are
/// added to `ignored`: "rope_scaling.beta_fast".
/// Errors: Unsupported for a rule that is not built, or a rotation of a part of the head; Mismatch for missing or
/// impossible numbers and for two spellings that disagree.
void readRope(Keys& config, ModelConfig& numbers, std::vector<std::string>& ignored);

}  // namespace core::checkpoint::huggingface
