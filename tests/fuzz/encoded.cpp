#include "tests/fuzz/encoded.h"

#include "core/tokenizer/token_label.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

namespace {

using core::Specials;
using core::TokenId;

constexpr std::string_view kTexts[] = {"", "ab a  bc\n", "Don't \xff stop, 12 \xe4\xbd\xa0\xcc\x81 <|bos|><s>"};

void requireKnown(const core::tokenizer::Tokenizer& tokenizer, const std::vector<TokenId>& ids) {
  std::vector<std::string> bytes;
  for (const TokenId id : ids) {
    require(id >= 0 && id < tokenizer.size(), "an id is one of the vocabulary");
    bytes.push_back(tokenizer.bytes(id));
  }
  const auto labels = core::tokenizer::labelTokens(ids, bytes);
  require(labels.size() == ids.size(), "a token has a label");
}

}  // namespace

void requireEncodes(const core::tokenizer::Tokenizer& tokenizer) {
  requireKnown(tokenizer, tokenizer.prefix());
  requireKnown(tokenizer, tokenizer.specials());
  for (const std::string_view text : kTexts) {
    for (const Specials specials : {Specials::AsUpstream, Specials::Tokens})
      requireKnown(tokenizer, tokenizer.encode(text, specials).ids);
  }
}

}  // namespace fuzz
