// GPT-2's byte-level byte-pair encoding.
#pragma once

#include <memory>

#include "core/tokenizer/tokenizer.h"

namespace core::tokenizer {

/// 50257 ids: the 256 bytes in GPT-2's order, the 50000 merges, and <|endoftext|>, whose spelling in a text is text.
/// Every byte string has tokens. Built on the first call, then shared; safe from any thread.
std::shared_ptr<const Tokenizer> gpt2Tokenizer();

}  // namespace core::tokenizer
