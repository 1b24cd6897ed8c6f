// A tokenizer from a file, recognised by its content.
#pragma once

#include <filesystem>
#include <memory>

#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// tokenizer.json (Hugging Face tokenizers, BPE), tokenizer.pkl (a pickled tiktoken.Encoding), meta.pkl (nanoGPT's
/// characters), or vocab.json with merges.txt beside it (either of them; GPT-2's split rule).
/// Errors: those of File and pickle::parse; NotAModel for other content; Unsupported, naming the part that is not
/// known; Corrupt; TooLarge.
std::shared_ptr<const tokenizer::Tokenizer> readTokenizer(const std::filesystem::path& path);

}  // namespace core::checkpoint
