// Text that a model goes on with, token by token, with a KV cache.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/capture.h"
#include "core/token_text.h"

namespace core {

/// How the next token is chosen from the logits.
struct Sampling {
  double temperature = 0;  ///< 0: the largest logit (the first of equal ones); else from softmax(logits / temperature)
  std::int64_t topK = 0;   ///< only the K largest logits; 0: all
  std::uint64_t seed = 1;
};

struct Generation {
  enum class Stop { Count, ContextEnd };
  std::shared_ptr<const Capture> capture =
      nullptr;                    ///< of prompt and generated tokens, as one run over all of them gives it
  std::int64_t promptTokens = 0;  ///< the tokens after these are the model's own
  Stop stop = Stop::Count;
  std::string sentence = {};  ///< why it stopped early; empty when it did not
};

/// Called with each token as it is chosen.
using OnToken = std::function<void(const TokenText&)>;

}  // namespace core
