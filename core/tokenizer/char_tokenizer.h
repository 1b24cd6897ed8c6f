// One character a token, as nanoGPT's meta.pkl has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/tokenizer.h"

namespace core::tokenizer {

/// itos: the UTF-8 character of each id. Characters that are not in it, and bytes that are not UTF-8, come back in
/// Encoding::notEncodable as a person can read them ("\u0007", "\xff").
std::shared_ptr<const Tokenizer> makeCharTokenizer(std::vector<std::string> itos);

}  // namespace core::tokenizer
