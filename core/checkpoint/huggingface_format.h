// A Hugging Face folder: config.json, weights in safetensors or torch files (whole or in shards), a tokenizer.
#pragma once

#include <filesystem>
#include <vector>

#include "core/checkpoint/format.h"

namespace core::checkpoint::huggingface {

/// One, where the folder has a config.json, an adapter_config.json, or weights under the names that save_pretrained
/// gives: the file among them that stands for the set.
std::vector<Openable> inFolder(const std::filesystem::path& folder);

/// Safetensors; JSON with "model_type", "architectures", "weight_map" or "peft_type", or named config.json; a torch
/// file that is a bare dict of tensors beside a config.json, or named pytorch_model.
bool sniff(const Content& content);

/// One file, or all shards.
std::vector<std::filesystem::path> weightFiles(const Content& content);

/// Whichever file of the set was opened. info.path is the folder.
/// Errors: NotFound for a missing config.json, index or shard; Unsupported, naming the key, tensor or model_type;
/// Mismatch.
Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint::huggingface
