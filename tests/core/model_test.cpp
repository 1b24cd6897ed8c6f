// The forward pass of every variant of every family against plain loops in double.
#include "core/model/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/weights.h"
#include "tests/core/plain_model.h"

namespace core::model {
namespace {

using checkpoint::DType;
using support::Matrix;
using support::PlainModel;

constexpr int kVocabulary = 11;

/// 2 layers, 2 heads, 8 wide, context 6, no biases, tied head.
ModelConfig gpt2() {
  ModelConfig config;
  config.family = "nanoGPT";
  config.layers = 2;
  config.heads = config.kvHeads = 2;
  config.embedding = 8;
  config.headSize = 4;
  config.inner = 32;
  config.context = 6;
  config.vocabulary = config.vocabularyRows = kVocabulary;
  config.trained.windows.resize(2);
  return config;
}

ModelConfig gpt2(bool bias, bool tied, Gelu gelu = Gelu::Erf) {
  ModelConfig config = gpt2();
  config.biases = {.qkv = bias, .out = bias, .mlp = bias, .norm = bias};
  config.tiedHead = tied;
  config.trained.gelu = gelu;
  return config;
}

/// 4 heads on 2, an inner width that is no multiple of the embedding's, heads whose size is not embedding / heads.
ModelConfig llama(bool bias, QkNorm qkNorm) {
  ModelConfig config = gpt2();
  config.family = "Llama";
  config.heads = 4;
  config.headSize = 6;
  config.inner = 20;
  config.norm = Norm::RmsNorm;
  config.normEpsilon = 1e-6;
  config.positions = Positions::Rotary;
  config.qkNorm = qkNorm;
  config.mlp = Mlp::SwiGlu;
  config.biases = {.qkv = bias, .out = bias, .mlp = bias};
  config.tiedHead = false;
  config.trained.ropeBase = 500;
  config.trained.windows = {{2}, {}};
  return config;
}

/// 3 layers, so that value embeddings are in layers 0 and 2; 32 wide, for gates of up to 32 channels.
ModelConfig nanochat(const NanochatParts& parts, double multiplier, double base, std::int64_t window) {
  ModelConfig config = llama(false, QkNorm::Unit);
  config.family = "nanochat";
  config.layers = 3;
  config.embedding = 32;
  config.headSize = 8;
  config.inner = 128;
  config.vocabularyRows = 64;
  config.normEpsilon = 1.1920928955078125e-07;
  config.ropeDirection = RopeDirection::Backward;
  config.mlp = Mlp::ReluSquared;
  config.nanochat = parts;
  config.nanochat.embeddingNorm = true;
  config.trained = {.qkMultiplier = multiplier, .ropeBase = base, .softCap = 15, .windows = {{window}, {window}, {6}}};
  return config;
}

struct Variant {
  std::string name;
  ModelConfig config;
  DType type = DType::F32;
  double largest = 1;  // of the weights; small ones keep deep sums within float32's reach
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class Variants : public testing::TestWithParam<Variant> {};

TEST_P(Variants, LogitsEqualPlainLoopsInDouble) {
  const Variant& variant = GetParam();
  PlainModel plain(variant.config, variant.type, variant.largest);
  const std::vector<TokenId> tokens{3, 0, 10, 3, 7, 1};
  const Matrix expected = plain.logits(tokens);
  const Model model(plain.config, plain.tensors);
  EXPECT_TRUE(plain.tensors.empty()) << "the model left tensors where they were";
  const RunSettings& settings = plain.config.trained;
  const at::Tensor logits = model.logits(model.forward({.tokens = tokens, .settings = settings}, {}).hidden, settings);
  ASSERT_EQ(logits.size(0), 6);
  ASSERT_EQ(logits.size(1), kVocabulary);
  double largest = 0;
  for (std::size_t t = 0; t < expected.size(); ++t) {
    for (std::size_t v = 0; v < expected[t].size(); ++v) {
      const double logit = logits[static_cast<std::int64_t>(t)][static_cast<std::int64_t>(v)].item<double>();
      EXPECT_NEAR(logit, expected[t][v], 2e-5) << t << ", " << v;
      largest = std::max(largest, std::abs(expected[t][v]));
    }
  }
  EXPECT_GT(largest, 1) << "logits of nothing prove nothing";
}

INSTANTIATE_TEST_SUITE_P(
    All, Variants,
    testing::Values(
        Variant{"plain", gpt2()}, Variant{"biases", gpt2(true, true)}, Variant{"untied", gpt2(false, false)},
        Variant{"tanh", gpt2(false, true, Gelu::Tanh)}, Variant{"oldest", gpt2(true, false, Gelu::Tanh)},
        Variant{"fp16", gpt2(true, true), DType::F16}, Variant{"bf16", gpt2(true, false), DType::BF16},
        Variant{"fp64", gpt2(false, false), DType::F64}, Variant{"llama", llama(false, QkNorm::None)},
        Variant{"llama_biases_everywhere", llama(true, QkNorm::None)}, Variant{"qwen3", llama(false, QkNorm::Weighted)},
        Variant{"nanochat_2025_10", nanochat({}, 1, 10000, Window::kNoLimit), DType::F32, 0.25},
        Variant{"nanochat_2026_01_11", nanochat({.lambdas = true}, 1, 10000, 3), DType::F32, 0.25},
        Variant{"nanochat_2026_01_16", nanochat({.lambdas = true, .gateChannels = 32, .gateScale = 2}, 1, 10000, 3),
                DType::F32, 0.25},
        Variant{"nanochat_2026_03_09", nanochat({.lambdas = true, .gateChannels = 12, .gateScale = 3}, 1.15, 100000, 2),
                DType::F32, 0.25},
        Variant{"nanochat_2026_03_14",
                nanochat({.lambdas = true, .gateChannels = 12, .gateScale = 3, .smear = true}, 1.2, 100000, 2),
                DType::BF16, 0.25}),
    [](const testing::TestParamInfo<Variant>& variant) { return variant.param.name; });

TEST(Model, WeightsThatAreNotANumberAreToldWithTheirLayer) {
  PlainModel plain(gpt2(), DType::F32);
  auto* weight = reinterpret_cast<float*>(const_cast<std::byte*>(plain.tensors.at("h.1.mlp.up.weight").data.get()));
  weight[3] = std::nanf("");
  const Model model(plain.config, plain.tensors);
  const std::vector<TokenId> tokens = {1, 2};
  const ForwardResult result = model.forward({.tokens = tokens, .settings = plain.config.trained}, {});
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_NE(result.warnings[0].find("layer 1"), std::string::npos) << result.warnings[0];
}

/// Closed forms, computed here in double: base 10000, D = 8, so f_m = 10^-m for m = 0 .. 3.
double frequency(int m) { return std::pow(10.0, -m); }

ModelConfig rotaryConfig() {
  ModelConfig config;
  config.headSize = 8;
  config.positions = Positions::Rotary;
  return config;
}

void expectAngles(const ModelConfig& config, const std::vector<double>& frequencies) {
  const Rotary angles = rotary(config, 10000, {0, 50}, at::kCPU);
  for (std::int64_t t = 0; t < 50; ++t) {
    for (std::size_t m = 0; m < frequencies.size(); ++m) {
      const double angle = static_cast<double>(t) * frequencies[m];
      EXPECT_NEAR(angles.cos[t][static_cast<std::int64_t>(m)].item<double>(), std::cos(angle), 1e-5) << t << ", " << m;
      EXPECT_NEAR(angles.sin[t][static_cast<std::int64_t>(m)].item<double>(), std::sin(angle), 1e-5) << t << ", " << m;
    }
  }
}

TEST(Rotary, FrequenciesArePowersOfTheBase) {
  expectAngles(rotaryConfig(), {frequency(0), frequency(1), frequency(2), frequency(3)});
}

TEST(Rotary, LinearScalingDividesEveryFrequency) {
  ModelConfig config = rotaryConfig();
  config.ropeScaling.rule = RopeScaling::Rule::Linear;
  config.ropeScaling.factor = 4;
  expectAngles(config, {frequency(0) / 4, frequency(1) / 4, frequency(2) / 4, frequency(3) / 4});
}

TEST(Rotary, Llama3ScalingKeepsShortWavesDividesLongOnesAndBlendsBetween) {
  ModelConfig config = rotaryConfig();
  // Wavelengths are 6.28, 62.8, 628 and 6283; 100 / 4 = 25 and 100 / 1 = 100 are the bounds.
  config.ropeScaling = {RopeScaling::Rule::Llama3, 8, 1, 4, 100};
  const double share = (100 * frequency(1) / (2 * 3.14159265358979323846) - 1) / (4 - 1);
  expectAngles(config, {frequency(0), (1 - share) * frequency(1) / 8 + share * frequency(1), frequency(2) / 8,
                        frequency(3) / 8});
}

TEST(Rotary, FactorsDivideEachFrequencyByItsOwn) {
  ModelConfig config = rotaryConfig();
  config.ropeScaling.rule = RopeScaling::Rule::Factors;
  config.ropeScaling.factors = {1, 1.5f, 8, 32};
  expectAngles(config, {frequency(0), frequency(1) / 1.5, frequency(2) / 8, frequency(3) / 32});
}

TEST(Rotary, RotatesHalvesOfAVectorForwardOrBackward) {
  ModelConfig config = rotaryConfig();
  const at::Tensor x = at::arange(1, 17, at::kFloat).view({1, 2, 8});
  for (const RopeDirection direction : {RopeDirection::Forward, RopeDirection::Backward}) {
    config.ropeDirection = direction;
    const at::Tensor turned = rotate(x, rotary(config, 10000, {0, 2}, at::kCPU));
    EXPECT_TRUE(at::equal(turned[0][0], x[0][0])) << "position 0 is not turned";
    const double sign = direction == RopeDirection::Forward ? 1 : -1;
    for (int m = 0; m < 4; ++m) {
      const double a = 9 + m;
      const double b = 13 + m;
      const double cos = std::cos(frequency(m));
      const double sin = sign * std::sin(frequency(m));
      EXPECT_NEAR(turned[0][1][m].item<double>(), a * cos - b * sin, 1e-4);
      EXPECT_NEAR(turned[0][1][m + 4].item<double>(), b * cos + a * sin, 1e-4);
    }
  }
}

TEST(Model, SoftCapBendsTheLogitsAndZeroLeavesThem) {
  PlainModel plain(gpt2(), DType::F32);
  const Model model(plain.config, plain.tensors);
  RunSettings settings = plain.config.trained;
  const std::vector<TokenId> tokens = {1, 2};
  const at::Tensor hidden = model.forward({.tokens = tokens, .settings = settings}, {}).hidden;
  const at::Tensor uncapped = model.logits(hidden, settings);
  settings.softCap = 2;
  const at::Tensor capped = model.logits(hidden, settings);
  for (std::int64_t v = 0; v < kVocabulary; ++v)
    EXPECT_NEAR(capped[0][v].item<double>(), 2 * std::tanh(uncapped[0][v].item<double>() / 2), 1e-5);
}

TEST(Model, AColumnMajorMatrixIsTheTransposedOne) {
  PlainModel plain(gpt2(), DType::F32);
  std::map<std::string, checkpoint::Tensor> tensors = plain.tensors;
  checkpoint::Tensor& up = tensors.at("h.0.mlp.up.weight");  // (32, 8), its bytes now those of (8, 32)
  const at::Tensor before = at::from_blob(const_cast<std::byte*>(up.data.get()), {8, 32}, at::kFloat).clone();
  up.order = checkpoint::Order::ColumnMajor;
  Weights weights(tensors);
  const at::Tensor taken = weights.take("h.0.mlp.up.weight");
  EXPECT_EQ(taken.sizes(), (std::vector<std::int64_t>{32, 8}));
  EXPECT_TRUE(at::equal(taken, before.t()));
}

TEST(Model, ATiedHeadTakesNoMemoryOfItsOwn) {
  PlainModel plain(gpt2(), DType::BF16);
  std::map<std::string, checkpoint::Tensor> tensors = plain.tensors;
  Weights weights(tensors);
  const at::Tensor embedding = weights.take("wte.weight");
  EXPECT_EQ(weights.take("lm_head.weight").data_ptr(), embedding.data_ptr());
}

}  // namespace
}  // namespace core::model
