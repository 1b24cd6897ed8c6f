// How a tokenizer.json splits a text for its model, and what it does to the ids after.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/checkpoint/tokenizer_json_part.h"
#include "core/tokenizer/metaspace.h"
#include "core/tokenizer/pretokenizer.h"

namespace core::checkpoint {

/// What tokens are made of.
enum class TokensOf { Bytes, Characters };

struct PreTokenizing {
  TokensOf tokensOf = TokensOf::Characters;
  std::optional<tokenizer::Metaspace> metaspace;
  tokenizer::Pretokenizer pretokenizer{{}};
};

/// Split, Digits and a Sequence of them, which ends with ByteLevel where tokens are made of bytes, and else may begin
/// with Metaspace; no step where there is no "pre_tokenizer".
/// Errors: Unsupported, naming another or its pattern; Corrupt.
PreTokenizing readPreTokenizer(const JsonPart& root);

/// What the template for a single text puts around it.
struct Template {
  std::vector<TokenId> before;
  std::vector<std::string> after;  ///< by name
};

/// TemplateProcessing, ByteLevel (which changes offsets alone), or a Sequence of them.
/// Errors: Unsupported, naming another; Corrupt.
Template readPostProcessor(const JsonPart& root);

}  // namespace core::checkpoint
