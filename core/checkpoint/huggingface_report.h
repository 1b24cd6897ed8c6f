// What loading a Hugging Face folder says of config.json and of the files.
#pragma once

#include <filesystem>

#include "core/checkpoint/format.h"
#include "core/checkpoint/huggingface_config.h"
#include "core/model_info.h"

namespace core::checkpoint::huggingface {

/// Family, RoPE, windows, defaults and ignored keys. info.config is set before.
void reportConfig(const Config& config, ModelInfo& info);

/// What is odd about the weights file, and an adapter beside it that is not applied. `weights` as opened: `content` has
/// a torch file, or was safetensors or an index.
void reportFile(const std::filesystem::path& weights, const Content& content, ModelInfo& info);

}  // namespace core::checkpoint::huggingface
