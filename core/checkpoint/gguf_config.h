// The metadata of a GGUF file as numbers that agree with each other and with the tensors.
// Source: ggml, docs/gguf.md; llama.cpp, llama-model.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/gguf_metadata.h"
#include "core/checkpoint/tensor_names.h"
#include "core/checkpoint/tensor_store.h"
#include "core/model_info.h"

namespace core::checkpoint::gguf {

/// Whether rows of q and k lie as they are, or with the two halves of a head in turn: 0, D/2, 1, D/2 + 1 ...
enum class RotaryRows { Halves, Pairs };

struct Config {
  ModelConfig numbers;
  Family family;
  RotaryRows rows = RotaryRows::Halves;
  std::string layersKey;              ///< "llama.block_count"
  std::vector<std::string> defaults;  ///< "llama.rope.freq_base 10000": keys that were absent and matter
};

/// What a metadata without a usable name says: for a sentence.
inline constexpr std::string_view kConvertAgain = "Convert the model again with a current convert_hf_to_gguf.py.";

/// Errors: Unsupported for an architecture that is not read here (listing those that are) and, by name, for a key that
/// changes the arithmetic otherwise than is built; Mismatch for absent, mistyped and impossible numbers, with the key.
Config readConfig(const GgufMetadata& metadata, const TensorStore& store);

/// "llama, qwen2, qwen3 and gpt2".
std::string architectures();

}  // namespace core::checkpoint::gguf
