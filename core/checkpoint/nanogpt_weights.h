// From the state dict of a nanoGPT file to tensors under our names, checked against the config.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/tensor_names.h"
#include "core/checkpoint/torch_file.h"
#include "core/model_info.h"

namespace core::checkpoint::nanogpt {

struct Weights {
  std::map<std::string, TorchTensor> tensors;  ///< by our names; lm_head.weight only where the file has it
  std::string prefix;                          ///< what was removed from every name: "_orig_mod."
  std::vector<std::string> ignored;            ///< buffers that are no weights: the old causal masks
  bool transposed = false;                     ///< the linears lay (in, out), as GPT-2's Conv1D
};

/// Errors: Mismatch for missing tensors and shapes, Unsupported for odd ones and types, Corrupt; Unsafe
/// (describeTensor).
Weights describeWeights(const TorchFile& file, const pickle::Value& model, const ModelConfig& config);

/// Removes the prefixes that every name carries ("_orig_mod.", "module.", "model."), and adds "transformer." where all
/// but lm_head lack it. Answers what was removed.
std::string normalizeNames(std::vector<std::string>& names);

}  // namespace core::checkpoint::nanogpt
