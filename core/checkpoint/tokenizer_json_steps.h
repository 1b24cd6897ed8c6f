// What a tokenizer.json does to a text before its model, and to the ids after.
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/tokenizer_json_part.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pretokenizer.h"

namespace core::checkpoint {

/// NFC, NFD, NFKC, NFKD or a Sequence of them; none where there is no "normalizer".
/// Errors: Unsupported, naming another; Corrupt.
std::vector<tokenizer::NormalForm> readNormalizer(const JsonPart& root);

/// Split, Digits and a Sequence of them that ends with ByteLevel.
/// Errors: Unsupported, naming another or its pattern; Corrupt.
tokenizer::Pretokenizer readPreTokenizer(const JsonPart& root);

/// What the template for a single text puts around it.
struct Template {
  std::vector<TokenId> before;
  std::vector<std::string> after;  ///< by name
};

/// TemplateProcessing, ByteLevel (which changes offsets alone), or a Sequence of them.
/// Errors: Unsupported, naming another; Corrupt.
Template readPostProcessor(const JsonPart& root);

}  // namespace core::checkpoint
