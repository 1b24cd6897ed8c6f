// What holds of any tokenizer.
#pragma once

#include "core/tokenizer/tokenizer.h"

namespace fuzz {

/// Encodes a few short texts: ids are in range, and every one of them stands for bytes and has a label.
/// Errors: those of encode().
void requireEncodes(const core::tokenizer::Tokenizer& tokenizer);

}  // namespace fuzz
