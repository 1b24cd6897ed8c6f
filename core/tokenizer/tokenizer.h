// Text to token ids and back. No Torch, no Qt.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"
#include "core/specials.h"

namespace core::tokenizer {

struct Encoding {
  std::vector<TokenId> ids;
  std::vector<std::string>
      notEncodable;  ///< distinct pieces of text that have no token, in order of appearance (their ids are left out)
};

/// Immutable; safe from any thread.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Any bytes are accepted; nothing is trimmed or added (see prefix()). Where spellings of specials begin together the
  /// longest counts; what stands between two is encoded as a text by itself, as tiktoken does.
  virtual Encoding encode(std::string_view text, Specials specials = Specials::AsUpstream) const = 0;

  /// The special tokens for which Specials makes a difference: their spelling is text by upstream's default.
  virtual std::vector<TokenId> specials() const { return {}; }

  /// What upstream puts before every text: the beginning-of-sequence token, or nothing.
  virtual std::vector<TokenId> prefix() const { return {}; }

  /// The bytes that a token stands for, the spelling of a special one; empty for an id that has none (padding rows).
  virtual std::string bytes(TokenId id) const = 0;

  virtual std::int64_t size() const = 0;        ///< ids are 0 .. size()-1
  virtual std::string description() const = 0;  ///< "65 characters", "GPT-2 byte-level BPE"
};

}  // namespace core::tokenizer
