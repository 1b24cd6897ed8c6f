// A Hugging Face folder: config.json, weights in safetensors or torch files (whole or in shards), a tokenizer.
#pragma once

#include <filesystem>
#include <vector>

#include "core/checkpoint/format.h"

namespace core::checkpoint::huggingface {

/// The file to open: config.json, else the weights under a name that save_pretrained gives.
std::vector<Openable> inFolder(const std::filesystem::path& folder);

/// Safetensors; JSON with "model_type", "architectures" or "weight_map"; a torch file that is a bare dict of tensors
/// beside a config.json.
bool sniff(const Content& content);

/// Errors: NotFound for a missing config.json or shard; Unsupported, naming the key, tensor or model_type; Mismatch.
Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint::huggingface
