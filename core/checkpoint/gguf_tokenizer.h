// The tokenizer in the metadata of a GGUF file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/gguf_metadata.h"
#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint::gguf {

struct ReadTokenizer {
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;
  std::vector<std::string> warnings;  ///< sentences
};

/// "gpt2": byte-level BPE with the split rule that tokenizer.ggml.pre names; "llama": SentencePiece.
/// A spelled special token is that token for the first, as in Hugging Face's tokenizers, and text for the second.
/// Errors: NotFound when the file has none, Unsupported for other kinds and split rules, Corrupt, TooLarge: sentences
/// end with what to do about a tokenizer.
ReadTokenizer readTokenizer(const GgufMetadata& metadata);

}  // namespace core::checkpoint::gguf
