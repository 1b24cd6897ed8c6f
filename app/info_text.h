// What `headscope info` prints.
#pragma once

#include <string>

#include "core/model_info.h"

namespace app {

/// Aligned lines, then the load report.
std::string infoText(const core::ModelInfo& info);

/// "1,234,567"
std::string grouped(std::int64_t number);

}  // namespace app
