// What `headscope info --json` prints, and the settings of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/model_info.h"

namespace app {

/// One JSON object with stable keys; `schema` grows when a key changes its meaning.
std::string infoJson(const core::ModelInfo& info);

/// gelu, qk_multiplier, rope_base, soft_cap: null where the model has none. windows: how many tokens back each
/// layer looks, null where it looks at all; window_origin: who says so. mask: "causal" or "bidirectional".
nlohmann::ordered_json settingsJson(const core::ModelConfig& config, const core::RunSettings& settings);

/// A topic of the load report, for text and JSON.
const char* name(core::ReportLine::Topic topic);

}  // namespace app
