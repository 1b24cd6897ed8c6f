// A prompt before it runs: what it is in tokens, and why it can't run, if so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/ids.h"
#include "core/model_info.h"
#include "core/specials.h"

namespace core {

namespace tokenizer {
class Tokenizer;
}

struct PromptCheck {
  enum class Problem { None, Empty, NotEncodable, TooLong, NoTokenizer, NotATokenId };
  std::vector<TokenId> tokens = {};  ///< all of them, also when there are too many
  Problem problem = Problem::None;
  std::string sentence = {};  ///< says the problem with its numbers and letters; empty when there is none
  std::string notice = {};    ///< of a prompt that can run: it is longer than training saw; else empty
  bool canRun() const { return problem == Problem::None; }
};

/// What running such a prompt fails with: TooLarge when it is too long, else Mismatch.
ErrorKind kindOf(PromptCheck::Problem problem);

/// Whether a text's tokens begin with what upstream puts there (tokenizer::Tokenizer::prefix).
enum class Prefix { AsTrained, LeftOut };

/// The text as tokens; UTF-8, nothing is trimmed or cut. tokenizer may be null. Never throws for what a user can type.
/// A text that spells the prefix itself gets it twice where specials are tokens: what is typed changes nothing else.
PromptCheck checkText(std::string_view text, const tokenizer::Tokenizer* tokenizer, Prefix prefix, Specials specials,
                      const ModelConfig& config);

/// Token ids as written: "1, 2, 3", separated by commas or white space; nothing between two commas is a mistake.
PromptCheck checkIds(std::string_view ids, const ModelConfig& config);

/// Ids as given: 1 to `longestPrompt` of them, each in [0, vocabulary).
PromptCheck checkTokens(std::vector<TokenId> tokens, const ModelConfig& config);

}  // namespace core
