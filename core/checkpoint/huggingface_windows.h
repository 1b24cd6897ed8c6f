// Which layers of a Hugging Face model have a sliding window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/checkpoint/huggingface_keys.h"
#include "core/model_info.h"

namespace core::checkpoint::huggingface {

/// Whose keys say it, where layer_types does not. EveryLayer: sliding_window (Mistral). FromALayer: use_sliding_window,
/// max_window_layers and sliding_window (Qwen).
enum class WindowKeys : std::uint8_t { None, EveryLayer, FromALayer };

/// Fills windowRule and trained.windows; layers and context are set before. W keys of Hugging Face are left = W - 1.
/// Adds a sentence to `warnings` where this is not what transformers itself would run.
/// Errors: Unsupported for a kind of layer that is not built, naming it; Mismatch for keys that contradict each other.
void readWindows(Keys& config, WindowKeys rule, ModelConfig& numbers, std::vector<std::string>& warnings);

}  // namespace core::checkpoint::huggingface
