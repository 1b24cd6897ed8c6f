// What a config says, as lines of the load report.
#pragma once

#include "core/model_info.h"

namespace core::checkpoint {

/// Sizes, and how RoPE, GELU and windows are, from info.config.
void reportNumbers(ModelInfo& info);

}  // namespace core::checkpoint
