// Byte-pair encoding, over bytes (GPT-2, tiktoken) or over characters (Llama 2).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/character_symbols.h"
#include "core/tokenizer/merge_table.h"
#include "core/tokenizer/metaspace.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pretokenizer.h"
#include "core/tokenizer/tokenizer.h"

namespace core::tokenizer {

/// What happens to a piece that is a token as it stands, whether or not merges make it.
enum class WholePieces {
  Merged,    ///< as any other
  LookedUp,  ///< becomes that token: tiktoken, and "ignore_merges" of a tokenizer.json
};

/// What such a tokenizer is made of. Ids in all parts are below the number of `tokens`.
struct ByteBpeParts {
  std::vector<std::string> tokens;         ///< bytes by id; empty where an id has none, or has only a spelling
  std::map<TokenId, std::string> spelled;  ///< special tokens: no text is split into them
  std::vector<AddedToken> added;           ///< those that are found in a text by their spelling
  std::vector<TokenId> specials;           ///< of `spelled`, those that are found with Specials::Tokens alone
  MergeTable merges;
  WholePieces wholePieces = WholePieces::Merged;
  std::optional<CharacterSymbols> characters;  ///< where these are merged; else the tokens of one byte are
  std::vector<NormalStep> normalSteps;         ///< applied in this order, before the split
  std::optional<Metaspace> metaspace;          ///< applied next, to what is between added tokens
  Pretokenizer pretokenizer{{}};
  std::vector<TokenId> prefix;
  std::string description;
};

/// A byte (or character) that has no token is left out of the ids and named in Encoding::notEncodable.
std::shared_ptr<const Tokenizer> makeByteBpe(ByteBpeParts parts);

/// 50257 ids: the 256 bytes in GPT-2's order, the 50000 merges, and <|endoftext|>, whose spelling in a text is text.
/// Every byte string has tokens. Built on the first call, then shared; safe from any thread.
std::shared_ptr<const Tokenizer> gpt2Tokenizer();
inline constexpr std::int64_t kGpt2Vocabulary = 50257;

}  // namespace core::tokenizer
