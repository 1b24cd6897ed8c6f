// tokenizer.pkl: a pickled tiktoken.Encoding, as nanochat writes it.
#pragma once

#include <memory>
#include <string>

#include "core/checkpoint/pickle.h"
#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// Whether a pickle is an object of tiktoken's class.
bool isTiktoken(const pickle::Value& value);

/// encode() gives the ids of tiktoken's encode_ordinary; prefix() is <|bos|> where the encoding has one. An encoding
/// that is only a name is read where its table is built in: "gpt2" and "r50k_base".
/// `origin` begins sentences: "/x/tokenizer.pkl".
/// Errors: Unsupported for another name, or a pattern that is not supported; Corrupt; TooLarge.
std::shared_ptr<const tokenizer::Tokenizer> readTiktoken(const pickle::Value& value, const std::string& origin);

}  // namespace core::checkpoint
