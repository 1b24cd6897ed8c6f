// Which files of a Hugging Face folder hold its weights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core::checkpoint::huggingface {

/// The first of these that is there has the weights: the order in which transformers looks.
inline constexpr std::string_view kWeightNames[] = {"model.safetensors", "model.safetensors.index.json",
                                                    "pytorch_model.bin", "pytorch_model.bin.index.json"};
inline constexpr std::string_view kConfigName = "config.json";
inline constexpr std::string_view kAdapterConfigName = "adapter_config.json";

bool has(const std::filesystem::path& folder, std::string_view name);

/// A weights file, or the index of several. Errors: NotFound, saying what was looked for.
std::filesystem::path weightsIn(const std::filesystem::path& folder);

/// The index beside a weights file that names it as a part; nothing for a file that is whole.
/// Errors: those of reading an index; NotFound for a file that is named as a part ("-00001-of-00002") of no index.
std::optional<std::filesystem::path> indexOf(const std::filesystem::path& file);

/// The first tensor of a LoRA adapter among names, or empty.
std::string adapterTensor(const std::vector<std::string>& names);

}  // namespace core::checkpoint::huggingface
