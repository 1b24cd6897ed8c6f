// nanochat's set: model_<step>.pt, meta_<step>.json and tokenizer/tokenizer.pkl beside or above them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/checkpoint/format.h"

namespace core::checkpoint::nanochat {

/// Every model_<step>.pt of the folder, the last step first; else those of base_checkpoints/*, mid_checkpoints/* and
/// their like below it.
std::vector<Openable> inFolder(const std::filesystem::path& folder);

/// "model_000700.pt" for an optimizer's state that is named "optim_000700_rank0.pt"; empty for other names.
std::string modelNameOf(const std::filesystem::path& optimizer);

/// A bare dict with nanochat's names, an optimizer's state that nanochat names so, or a meta_<step>.json.
bool sniff(const Content& content);

/// model_<step>.pt.
std::vector<std::filesystem::path> weightFiles(const Content& content);

/// Opens the set that the file belongs to.
/// Errors: NotFound, naming the missing file of the set; NotAModel for an optimizer's state; those of readConfig and
/// TensorStore.
Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint::nanochat
