// What a run takes before it is made.
#pragma once

#include <cstdint>

#include "core/attention_kernel.h"
#include "core/model_info.h"

namespace core {

/// Bytes beyond the opened model.
struct MemoryEstimate {
  std::int64_t kept = 0;     ///< by the capture: q, k, v, lse of each layer and the last hidden state
  std::int64_t working = 0;  ///< at most at once while a layer is computed
  std::int64_t total() const { return kept + working; }
};

/// From the shapes of the forward pass (core/model/model.cpp). Grows with the tokens, for long ones in proportion.
MemoryEstimate estimateRun(const ModelConfig& config, std::int64_t tokens);

/// Errors: OutOfMemory, with both numbers and the longest prompt that fits, when the run would take more than `budget`.
void requireMemory(const ModelConfig& config, std::int64_t tokens, std::int64_t budget);

}  // namespace core
