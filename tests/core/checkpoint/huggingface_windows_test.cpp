#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/checkpoint/huggingface_config.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/huggingface_folder.h"

// A window of W keys: key j is seen when i - j < W, so left is W - 1.
namespace core::checkpoint::huggingface {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

const char* const kFile = "/x/config.json";
constexpr std::int64_t kAll = Window::kNoLimit;

/// Three layers, with some keys changed and some taken out.
json configOf(const std::string& modelType, const json& keys, const std::vector<std::string>& without = {}) {
  json config = support::HuggingfaceFolder(modelType).config;
  config["num_hidden_layers"] = 3;
  if (!keys.is_null()) config.update(keys);
  for (const std::string& key : without) config.erase(key);
  return config;
}

std::vector<std::int64_t> leftsOf(const ModelConfig& config) {
  std::vector<std::int64_t> lefts;
  for (const Window window : config.trained.windows) lefts.push_back(window.left);
  return lefts;
}

std::vector<std::int64_t> lefts(const std::string& modelType, const json& keys,
                                const std::vector<std::string>& without = {}) {
  return leftsOf(readConfig(configOf(modelType, keys, without), kFile).numbers);
}

void refuse(ErrorKind kind, const std::vector<std::string>& parts, const json& config) {
  support::expectError(kind, parts, [&] { readConfig(config, kFile); });
}

json kinds(const std::string& letters) {
  json list = json::array();
  for (const char letter : letters) list.push_back(letter == 'S' ? "sliding_attention" : "full_attention");
  return list;
}

TEST(HuggingfaceWindows, MistralHasItsWindowOnEveryLayer) {
  const ModelConfig config = readConfig(configOf("mistral", {{"sliding_window", 5}}), kFile).numbers;
  EXPECT_THAT(leftsOf(config), ElementsAre(4, 4, 4));
  EXPECT_EQ(config.windowRule.shortWindow.left, 4);
  EXPECT_FALSE(config.windowRule.longWindow.limited());
  EXPECT_EQ(config.windowRule.pattern, "");
  EXPECT_EQ(config.windowRule.origin, "sliding_window 5 of config.json");
  EXPECT_THAT(lefts("mistral", {{"sliding_window", 1}}), ElementsAre(0, 0, 0)) << "a query's own key alone";
}

TEST(HuggingfaceWindows, MistralWithoutTheKeyHas4096AndWithNullHasNone) {
  const Config config = readConfig(configOf("mistral", {}, {"sliding_window"}), kFile);
  EXPECT_THAT(leftsOf(config.numbers), ElementsAre(4095, 4095, 4095));
  EXPECT_THAT(config.defaults, testing::Contains("sliding_window 4096"));
  EXPECT_THAT(config.numbers.windowRule.origin, testing::HasSubstr("default"));
  EXPECT_THAT(lefts("mistral", {{"sliding_window", nullptr}}), ElementsAre(kAll, kAll, kAll));
}

class QwenWindows : public testing::TestWithParam<std::string> {};

TEST_P(QwenWindows, AreThereOnlyWithTheSwitch) {
  EXPECT_THAT(lefts(GetParam(), {{"sliding_window", 5}, {"max_window_layers", 1}}), ElementsAre(kAll, kAll, kAll));
  EXPECT_THAT(lefts(GetParam(), {{"sliding_window", 5}, {"max_window_layers", 1}, {"use_sliding_window", false}}),
              ElementsAre(kAll, kAll, kAll));
}

TEST_P(QwenWindows, BeginAtMaxWindowLayers) {
  json keys = {{"sliding_window", 5}, {"max_window_layers", 1}, {"use_sliding_window", true}};
  const ModelConfig config = readConfig(configOf(GetParam(), keys), kFile).numbers;
  EXPECT_THAT(leftsOf(config), ElementsAre(kAll, 4, 4));
  EXPECT_EQ(config.windowRule.origin, "sliding_window 5 and max_window_layers 1 of config.json");
  keys["max_window_layers"] = 0;
  EXPECT_THAT(lefts(GetParam(), keys), ElementsAre(4, 4, 4));
  keys["max_window_layers"] = 3;
  EXPECT_THAT(lefts(GetParam(), keys), ElementsAre(kAll, kAll, kAll));
}

TEST_P(QwenWindows, DefaultsAre4096FromLayer28) {
  const ModelConfig config =
      readConfig(configOf(GetParam(), {{"use_sliding_window", true}, {"num_hidden_layers", 30}}), kFile).numbers;
  ASSERT_EQ(config.trained.windows.size(), 30u);
  EXPECT_FALSE(config.trained.windows[27].limited());
  EXPECT_EQ(config.trained.windows[28].left, 4095);
  EXPECT_EQ(config.trained.windows[29].left, 4095);
  EXPECT_THAT(lefts(GetParam(), {{"use_sliding_window", true}, {"sliding_window", nullptr}, {"max_window_layers", 1}}),
              ElementsAre(kAll, kAll, kAll));
}

TEST_P(QwenWindows, LayerTypesSayItLayerByLayer) {
  const ModelConfig config = readConfig(configOf(GetParam(), {{"layer_types", kinds("SLS")},
                                                              {"sliding_window", 5},
                                                              {"max_window_layers", 2},
                                                              {"use_sliding_window", true}}),
                                        kFile)
                                 .numbers;
  EXPECT_THAT(leftsOf(config), ElementsAre(4, kAll, 4));
  EXPECT_EQ(config.windowRule.origin, "sliding_window 5 and layer_types of config.json");
  EXPECT_THAT(lefts(GetParam(), {{"layer_types", kinds("LLL")},
                                 {"sliding_window", 5},
                                 {"max_window_layers", 0},
                                 {"use_sliding_window", true}}),
              ElementsAre(kAll, kAll, kAll));
}

TEST_P(QwenWindows, KeysThatContradictEachOtherAreAMismatch) {
  refuse(ErrorKind::Mismatch, {"'layer_types'", "'use_sliding_window'"},
         configOf(GetParam(), {{"layer_types", kinds("SLS")}, {"sliding_window", 5}}));
  refuse(
      ErrorKind::Mismatch, {"'layer_types'", "'sliding_window' is null"},
      configOf(GetParam(), {{"layer_types", kinds("SLS")}, {"sliding_window", nullptr}, {"use_sliding_window", true}}));
  refuse(ErrorKind::Mismatch, {"'layer_types' is a list of 2", "'num_hidden_layers' is 3"},
         configOf(GetParam(), {{"layer_types", kinds("LL")}}));
  refuse(ErrorKind::Mismatch, {"'layer_types' is 'LLL'"}, configOf(GetParam(), {{"layer_types", "LLL"}}));
}

INSTANTIATE_TEST_SUITE_P(Both, QwenWindows, testing::Values("qwen2", "qwen3"),
                         [](const auto& instance) { return instance.param; });

TEST(HuggingfaceWindows, MistralObeysLayerTypesAndSaysThatItsOwnClassDoesNot) {
  const Config config = readConfig(configOf("mistral", {{"layer_types", kinds("LSL")}, {"sliding_window", 5}}), kFile);
  EXPECT_THAT(leftsOf(config.numbers), ElementsAre(kAll, 4, kAll));
  ASSERT_EQ(config.warnings.size(), 1u);
  EXPECT_THAT(config.warnings[0], testing::HasSubstr("layer_types"));
  EXPECT_EQ(readConfig(configOf("mistral", {{"layer_types", kinds("LLL")}}, {"sliding_window"}), kFile).warnings.size(),
            1u);
  EXPECT_THAT(readConfig(configOf("mistral", {{"layer_types", kinds("SSS")}, {"sliding_window", 5}}), kFile).warnings,
              IsEmpty());
}

TEST(HuggingfaceWindows, WithoutOneTheShortWindowOnOfferIsAQuarterOfTheContext) {
  const ModelConfig config = readConfig(configOf("llama", {{"max_position_embeddings", 4096}}), kFile).numbers;
  EXPECT_THAT(leftsOf(config), ElementsAre(kAll, kAll, kAll));
  EXPECT_EQ(config.windowRule.shortWindow.left, 1024);
  EXPECT_EQ(config.windowRule.origin, "");
}

TEST(HuggingfaceWindows, C1_WidthsThatAreNoneAreAMismatch) {
  for (const json& wrong : {json(0), json(-1), json(4.5), json("16")}) {
    refuse(ErrorKind::Mismatch, {"'sliding_window' is "}, configOf("mistral", {{"sliding_window", wrong}}));
    refuse(ErrorKind::Mismatch, {"'sliding_window' is "},
           configOf("qwen2", {{"sliding_window", wrong}, {"use_sliding_window", true}, {"max_window_layers", 0}}));
  }
  refuse(ErrorKind::Mismatch, {"'max_window_layers' is -1"},
         configOf("qwen2", {{"sliding_window", 4}, {"use_sliding_window", true}, {"max_window_layers", -1}}));
}

}  // namespace
}  // namespace core::checkpoint::huggingface
