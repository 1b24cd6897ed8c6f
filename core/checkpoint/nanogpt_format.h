// nanoGPT's ckpt.pt: a dict with model, model_args and config beside the optimizer's state.
#pragma once

#include <filesystem>
#include <vector>

#include "core/checkpoint/format.h"

namespace core::checkpoint::nanogpt {

/// Its ckpt.pt.
std::vector<Openable> inFolder(const std::filesystem::path& folder);

/// By content: 'model' and 'model_args', or weights with nanoGPT's names without one of them (which load refuses,
/// saying what is missing).
bool sniff(const Content& content);

/// The file itself.
std::vector<std::filesystem::path> weightFiles(const Content& content);

/// Errors: Mismatch for config against shapes, Unsupported for tensors that nanoGPT has not; those of TensorStore.
Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint::nanogpt
