#include "app/info_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/info_json.h"

namespace app {
namespace {

using testing::HasSubstr;
using testing::Not;

core::ModelInfo sample() {
  core::ModelInfo info;
  info.path = "/models/x/ckpt.pt";
  info.name = "x";
  core::ModelConfig& config = info.config;
  config.family = "nanoGPT";
  config.layers = 2, config.heads = 8, config.kvHeads = 2, config.headSize = 16, config.embedding = 128;
  config.inner = 512, config.context = config.longestPrompt = 256;
  config.vocabulary = config.vocabularyRows = 50304;
  config.trained.gelu = core::Gelu::Tanh;
  config.trained.windows = {{}, {}};
  info.storedType = "bf16";
  info.parameters = 1234567;
  info.bytesRead = 2469134;
  info.report = {{core::ReportLine::Topic::Family, "nanoGPT"},
                 {core::ReportLine::Topic::Warning, "half of it is zero"}};
  return info;
}

core::ModelInfo nanochat() {
  core::ModelInfo info = sample();
  core::ModelConfig& config = info.config;
  config.family = "nanochat", config.version = "from 14 March 2026";
  config.longestPrompt = 2560;
  config.vocabulary = 50300;
  config.norm = core::Norm::RmsNorm;
  config.positions = core::Positions::Rotary;
  config.qkNorm = core::QkNorm::Unit;
  config.mlp = core::Mlp::ReluSquared;
  config.tiedHead = false;
  config.windowRule = {"SL", {64}, {256}, "window_pattern of meta_000100.json"};
  config.trained = {.qkMultiplier = 1.2, .ropeBase = 100000, .softCap = 15, .windows = {{64}, {256}}};
  info.report.clear();
  return info;
}

TEST(InfoText, AlignsItsColumns) {
  EXPECT_EQ(infoText(sample()),
            "x\n"
            "  file         /models/x/ckpt.pt\n"
            "  family       nanoGPT\n"
            "  layers       2\n"
            "  heads        8 of size 16, on 2 key/value heads\n"
            "  embedding    128\n"
            "  context      256 tokens\n"
            "  vocabulary   50,304\n"
            "  norm         LayerNorm, epsilon 1e-05\n"
            "  positions    learned\n"
            "  QK norm      none\n"
            "  MLP          GELU (tanh), 512 wide\n"
            "  biases       none\n"
            "  output head  tied to the embedding\n"
            "  windows      none: every layer sees every key up to the query\n"
            "  parameters   1,234,567\n"
            "  weights      bf16, 2,469,134 bytes read\n"
            "  tokenizer    none: give prompts as --tokens, or a file with --tokenizer\n"
            "  device       CPU\n"
            "load report\n"
            "  family   nanoGPT\n"
            "  warning  half of it is zero\n");
}

TEST(InfoText, SaysWhatARunMayChange) {
  const std::string text = infoText(nanochat());
  for (const char* line :
       {"family       nanochat, from 14 March 2026\n", "context      256 tokens; runs up to 2,560\n",
        "vocabulary   50,300, padded to 50,304 rows\n", "positions    RoPE, base 100000\n",
        "QK norm      RMSNorm without weights, after RoPE, times 1.2\n", "soft cap     15\n", "windows      SL\n",
        "window S     i - j <= 64 (65 keys)\n", "window from  window_pattern of meta_000100.json\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(InfoText, SaysWhatSWouldMeanWhereTrainingHadNoWindows) {
  core::ModelInfo info = sample();
  info.config.windowRule.shortWindow = {128};  // as the loaders have it for a context of 256
  EXPECT_THAT(infoText(info), HasSubstr("S in a run   i - j <= 128 (129 keys): a quarter of the context, up to a "
                                        "multiple of 128\n"));
  const auto json = nlohmann::json::parse(infoJson(info));
  EXPECT_EQ(json["short_window"], 128);
  EXPECT_EQ(json["short_window_origin"], "a quarter of the context, up to a multiple of 128");
}

TEST(SettingsJson, SaysWhatARunChanged) {
  const core::ModelConfig config = sample().config;
  core::RunSettings settings = config.trained;
  settings.windows = {{3}, {}};
  settings.mask = core::MaskKind::Bidirectional;
  const nlohmann::json json = settingsJson(config, settings);
  EXPECT_EQ(json["windows"], nlohmann::json::parse("[3, null]"));
  EXPECT_EQ(json["window_origin"], "chosen for this run");
  EXPECT_EQ(json["mask"], "bidirectional");
}

TEST(InfoText, LeavesOutAnEmptyReport) {
  core::ModelInfo info = sample();
  info.report.clear();
  EXPECT_THAT(infoText(info), Not(HasSubstr("report")));
}

TEST(InfoJson, HasStableKeys) {
  const auto json = nlohmann::json::parse(infoJson(sample()));
  EXPECT_EQ(json, nlohmann::json::parse(R"({
    "schema": 1, "name": "x", "path": "/models/x/ckpt.pt", "family": "nanoGPT", "version": null,
    "layers": 2, "heads": 8, "kv_heads": 2, "head_size": 16, "embedding": 128, "inner": 512,
    "context": 256, "longest_prompt": 256, "vocabulary": 50304, "vocabulary_rows": 50304,
    "norm": "layer", "norm_epsilon": 1e-5, "positions": "learned", "rope_scaling": null, "qk_norm": "none",
    "mlp": "gelu", "bias": false, "biases": {"qkv": false, "out": false, "mlp": false, "norm": false},
    "tied_head": true, "gelu": "tanh", "qk_multiplier": null, "rope_base": null, "soft_cap": null,
    "windows": [null, null], "window_origin": "trained without windows", "mask": "causal",
    "window_pattern": null, "short_window": null, "short_window_origin": null,
    "parameters": 1234567, "stored_type": "bf16", "bytes_read": 2469134, "tokenizer": null, "device": "CPU",
    "report": [{"topic": "family", "text": "nanoGPT"}, {"topic": "warning", "text": "half of it is zero"}]})"));
}

TEST(InfoJson, HasWhatARunMayChange) {
  core::ModelInfo info = nanochat();
  info.config.ropeScaling = {core::RopeScaling::Rule::Llama3, 8, 1, 4, 64};
  const auto json = nlohmann::json::parse(infoJson(info));
  EXPECT_EQ(json["version"], "from 14 March 2026");
  EXPECT_EQ(json["gelu"], nullptr);
  EXPECT_EQ(json["qk_multiplier"], 1.2);
  EXPECT_EQ(json["rope_base"], 100000);
  EXPECT_EQ(json["soft_cap"], 15);
  EXPECT_EQ(json["windows"], (std::vector{64, 256}));
  EXPECT_EQ(json["window_pattern"], "SL");
  EXPECT_EQ(json["window_origin"], "window_pattern of meta_000100.json");
  EXPECT_EQ(json["rope_scaling"]["type"], "llama3");
  EXPECT_EQ(json["rope_scaling"]["original_context"], 64);
  info.config.ropeScaling = {.rule = core::RopeScaling::Rule::Factors, .factors = {1, 2.5f}};
  EXPECT_EQ(nlohmann::json::parse(infoJson(info))["rope_scaling"], R"({"type": "factors", "factors": [1.0, 2.5]})"_json);
}

TEST(InfoJson, StaysJsonWhenAPathIsNotUtf8) {
  core::ModelInfo info = sample();
  info.path = "/models/\xFF\"\n/ckpt.pt";
  EXPECT_EQ(nlohmann::json::parse(infoJson(info))["path"], "/models/\uFFFD\"\n/ckpt.pt");
}

TEST(Grouped, PutsACommaBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

}  // namespace
}  // namespace app
