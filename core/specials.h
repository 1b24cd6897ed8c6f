// Special tokens that a text spells.
#pragma once

namespace core {

/// What the spelling of a special token ("<|endoftext|>") in a text is.
enum class Specials {
  AsUpstream,  ///< by upstream's own default: text for tiktoken and nanoGPT, that token for Hugging Face's tokenizers
  Tokens,      ///< that token, whichever upstream
};

}  // namespace core
