// The split rules of published byte-level BPE tokenizers, by the names that GGUF files give them.
// Source: each model's tokenizer.json; the names are those of llama.cpp, llama-vocab.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/tokenizer/byte_bpe.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pretokenizer.h"

namespace core::tokenizer {

struct SplitRule {
  std::span<const std::string_view> names;     ///< of tokenizer.ggml.pre
  std::span<const std::string_view> patterns;  ///< one after another, as in tokenizer.json; matches are isolated
  bool thenAsGpt2 = false;                     ///< GPT-2's rule follows
  WholePieces wholePieces = WholePieces::Merged;
  std::optional<NormalForm> normalForm = std::nullopt;
  bool beginsWithBos = false;  ///< where a file does not say
};

/// Null for a name that is not known.
const SplitRule* splitRuleNamed(std::string_view name);

/// "default, deepseek-coder, ...".
std::string splitRuleNames();

Pretokenizer pretokenizerOf(const SplitRule& rule);

}  // namespace core::tokenizer
