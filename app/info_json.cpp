#include "app/info_json.h"

#include "core/overrides.h"

namespace app {

namespace {

using Json = nlohmann::ordered_json;
using Topic = core::ReportLine::Topic;

template <class Value>
Json onlyIf(bool has, const Value& value) {
  return has ? Json(value) : Json();
}

Json scalingJson(const core::ModelConfig& config) {
  const core::RopeScaling& scaling = config.ropeScaling;
  switch (scaling.rule) {
    case core::RopeScaling::Rule::None: return nullptr;
    case core::RopeScaling::Rule::Linear: return {{"type", "linear"}, {"factor", scaling.factor}};
    case core::RopeScaling::Rule::Llama3:
      return {{"type", "llama3"},
              {"factor", scaling.factor},
              {"low_freq_factor", scaling.lowFrequency},
              {"high_freq_factor", scaling.highFrequency},
              {"original_context", scaling.originalContext}};
    case core::RopeScaling::Rule::Factors: return {{"type", "factors"}, {"factors", scaling.factors}};
  }
  return nullptr;
}

const char* name(core::QkNorm norm) {
  switch (norm) {
    case core::QkNorm::None: return "none";
    case core::QkNorm::Weighted: return "weighted";
    case core::QkNorm::Unit: return "unit";
  }
  return "";
}

const char* name(core::Mlp mlp) {
  switch (mlp) {
    case core::Mlp::Gelu: return "gelu";
    case core::Mlp::SwiGlu: return "swiglu";
    case core::Mlp::ReluSquared: return "relu_squared";
  }
  return "";
}

Json biasesJson(const core::Biases& biases) {
  return {{"qkv", biases.qkv}, {"out", biases.out}, {"mlp", biases.mlp}, {"norm", biases.norm}};
}

}  // namespace

const char* name(Topic topic) {
  switch (topic) {
    case Topic::Family: return "family";
    case Topic::Version: return "version";
    case Topic::Read: return "read";
    case Topic::Ignored: return "ignored";
    case Topic::Patched: return "patched";
    case Topic::Prefix: return "prefix";
    case Topic::Tokenizer: return "tokenizer";
    case Topic::Warning: return "warning";
  }
  return "";
}

Json settingsJson(const core::ModelConfig& config, const core::RunSettings& settings) {
  const core::OverridesInUse inUse = core::overridesInUse(config);
  Json windows = Json::array();
  for (const core::Window window : settings.windows) windows.push_back(onlyIf(window.limited(), window.left));
  return {{"gelu", onlyIf(inUse.gelu, settings.gelu == core::Gelu::Erf ? "erf" : "tanh")},
          {"qk_multiplier", onlyIf(inUse.qkMultiplier, settings.qkMultiplier)},
          {"rope_base", onlyIf(inUse.ropeBase, settings.ropeBase)},
          {"soft_cap", onlyIf(inUse.softCap && settings.softCap > 0, settings.softCap)},
          {"windows", windows},
          {"window_origin", core::windowOrigin(config, settings)},
          {"mask", word(settings.mask)}};
}

std::string infoJson(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  const core::Biases& biases = config.biases;
  Json report = Json::array();
  for (const core::ReportLine& line : info.report) report.push_back({{"topic", name(line.topic)}, {"text", line.text}});
  Json json{
      {"schema", 1},
      {"name", info.name},
      {"path", info.path.string()},
      {"family", config.family},
      {"version", onlyIf(!config.version.empty(), config.version)},
      {"layers", config.layers},
      {"heads", config.heads},
      {"kv_heads", config.kvHeads},
      {"head_size", config.headSize},
      {"embedding", config.embedding},
      {"inner", config.inner},
      {"context", config.context},
      {"longest_prompt", config.longestPrompt},
      {"vocabulary", config.vocabulary},
      {"vocabulary_rows", config.vocabularyRows},
      {"norm", config.norm == core::Norm::LayerNorm ? "layer" : "rms"},
      {"norm_epsilon", config.normEpsilon},
      {"positions", config.positions == core::Positions::Rotary ? "rotary" : "learned"},
      {"rope_scaling", scalingJson(config)},
      {"qk_norm", name(config.qkNorm)},
      {"mlp", name(config.mlp)},
      {"bias", biases.qkv || biases.out || biases.mlp || biases.norm},
      {"biases", biasesJson(biases)},
      {"tied_head", config.tiedHead},
  };
  json.update(settingsJson(config, config.trained));
  json.update({
      {"window_pattern", onlyIf(!config.windowRule.pattern.empty(), config.windowRule.pattern)},
      {"short_window", onlyIf(config.windowRule.shortWindow.limited(), config.windowRule.shortWindow.left)},
      {"short_window_origin", onlyIf(config.windowRule.shortWindow.limited(), core::shortWindowOrigin(config))},
      {"parameters", info.parameters},
      {"stored_type", info.storedType},
      {"bytes_read", info.bytesRead},
      {"tokenizer", onlyIf(!info.tokenizer.empty(), info.tokenizer)},
      {"device", info.device},
      {"report", report},
  });
  // A path may hold any bytes; what is not UTF-8 is replaced.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace app
