// Keys of config.json that would change what a model computes, in a way that is not built.
#pragma once

#include "core/checkpoint/huggingface_keys.h"

namespace core::checkpoint::huggingface {

/// Errors: Unsupported, naming the first such key and its value.
void refuseOtherArithmetic(const Keys& config);

/// Whether refuseOtherArithmetic() looks at a key: it is then no key without effect.
bool isGuarded(std::string_view key);

}  // namespace core::checkpoint::huggingface
