// tokenizer.json: a BPE of Hugging Face's tokenizers, over bytes or over characters.
#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/json.h"
#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// The largest that are published have 33 MB and 1.6 million values.
inline constexpr JsonLimits kTokenizerJsonLimits{.bytes = 64u << 20};

/// Whether an object is a tokenizer.json, of whatever kind.
bool isTokenizerJson(const Json& json);

/// encode() gives the ids of tokenizers' encode(text, add_special_tokens=False); what its template puts before a text
/// is prefix(), what it puts behind is left out, and description() says so. Truncation and padding are not applied.
/// `origin` begins sentences: "/x/tokenizer.json".
/// Errors: Unsupported, naming the part, for all that would change ids and is not known here; Corrupt; Mismatch for an
/// added token that the vocabulary has with another id; TooLarge.
std::shared_ptr<const tokenizer::Tokenizer> readTokenizerJson(const Json& json, const std::string& origin);

}  // namespace core::checkpoint
