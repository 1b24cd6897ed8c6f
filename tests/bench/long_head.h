// One head of random q and k, over 32,768 tokens where nothing else is said: a map of 4 GB, were it held whole.
#pragma once

#include <memory>

#include "core/attention_map.h"

namespace bench {

constexpr std::int64_t kTokens = 32768;
constexpr std::int64_t kHeadSize = 64;
constexpr std::int64_t kBlock = 32;  // 1024 x 1024 values: about a screen

core::AttentionMap longHead(std::int64_t tokens = kTokens);

}  // namespace bench
