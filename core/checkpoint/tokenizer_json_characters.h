// The vocabulary of a tokenizer.json whose tokens are made of characters: Llama 2's, Mistral's, Gemma's.
#pragma once

#include <string>

#include "core/checkpoint/tokenizer_json_part.h"
#include "core/checkpoint/vocab_merges.h"
#include "core/tokenizer/byte_bpe.h"

namespace core::checkpoint {

/// Fills in `characters` and `tokens`. What a token stands for is its spelling with the marks of parts.normalSteps and
/// parts.metaspace made spaces again (one that a normalizer put before the text too: the model sees it), or the byte of
/// a "<0x0A>" where "byte_fallback" is set.
/// Errors: Corrupt where "unk_token" is not in the vocabulary; Unsupported, naming the setting.
void readCharacters(const JsonPart& model, const Vocabulary& vocabulary, tokenizer::ByteBpeParts& parts);

/// A spelling with the marks of parts.normalSteps and parts.metaspace made spaces again.
std::string withSpaces(std::string spelling, const tokenizer::ByteBpeParts& parts);

}  // namespace core::checkpoint
