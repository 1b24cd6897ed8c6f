// The tokenizer of a Hugging Face folder.
#pragma once

#include <filesystem>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint::huggingface {

/// tokenizer.json; for GPT-2 also vocab.json with merges.txt, or the built-in one where there is none and the
/// vocabulary is GPT-2's. Errors: those of chooseTokenizer() for one that was chosen by hand.
void addTokenizer(Checkpoint& checkpoint, const std::filesystem::path& folder, const LoadOptions& options);

}  // namespace core::checkpoint::huggingface
