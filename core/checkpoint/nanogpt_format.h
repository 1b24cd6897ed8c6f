// nanoGPT's ckpt.pt: a dict with model, model_args and config beside the optimizer's state.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/torch_file.h"

namespace core::checkpoint::nanogpt {

/// By content: 'model' and 'model_args', or weights with nanoGPT's names without one of them (which load refuses,
/// saying what is missing).
bool sniff(const TorchFile& file);

/// Errors: Mismatch for config against shapes, Unsupported for tensors that nanoGPT has not; those of TorchFile::read.
Checkpoint load(const TorchFile& file, const LoadOptions& options, const Progress& progress);

/// A sentence: how far tensor names are from nanoGPT's.
std::string distance(const std::vector<std::string>& names);

}  // namespace core::checkpoint::nanogpt
