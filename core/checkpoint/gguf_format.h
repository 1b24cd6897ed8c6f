// GGUF, the format of llama.cpp, as a row of the table of formats.
#pragma once

#include <filesystem>
#include <vector>

#include "core/checkpoint/format.h"

namespace core::checkpoint::gguf {

std::vector<Openable> inFolder(const std::filesystem::path& folder);
bool sniff(const Content& content);
std::vector<std::filesystem::path> weightFiles(const Content& content);

/// Errors: NotAModel for a file that has only a vocabulary; those of ggufParts, readConfig, loadWeights; a tokenizer in
/// the file that can't be used is a warning.
Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint::gguf
