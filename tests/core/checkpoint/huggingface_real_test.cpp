#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "core/checkpoint/checkpoint.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// What transformers saved. Sources: each folder's config.json; parameters as its safetensors headers count them.
struct Real {
  std::string folder;
  std::string family;
  int layers;
  int kvHeads;
  int headSize;
  bool tied;
  std::int64_t left;
  std::string storedType;
  std::int64_t parameters;
  std::int64_t tokenizer;
};
void PrintTo(const Real& real, std::ostream* out) { *out << real.folder; }

class HuggingfaceReal : public testing::TestWithParam<Real> {};

TEST_P(HuggingfaceReal, OpensWithItsNumbersItsTokenizerAndNoWarning) {
  const Real& real = GetParam();
  HEADSCOPE_FIXTURE(folder, real.folder);
  const Checkpoint checkpoint = load(folder, {}, Progress());
  const ModelConfig& config = checkpoint.info.config;
  EXPECT_EQ(config.family, real.family);
  EXPECT_EQ(config.layers, real.layers);
  EXPECT_EQ(config.heads, real.family == "GPT-2" ? 4 : 8);
  EXPECT_EQ(config.kvHeads, real.kvHeads);
  EXPECT_EQ(config.headSize, real.headSize);
  EXPECT_EQ(config.embedding, 64);
  EXPECT_EQ(config.context, 256);
  EXPECT_EQ(config.tiedHead, real.tied);
  EXPECT_EQ(config.trained.windows, std::vector<Window>(static_cast<std::size_t>(real.layers), Window{real.left}));
  EXPECT_EQ(checkpoint.info.storedType, real.storedType);
  EXPECT_EQ(checkpoint.info.parameters, real.parameters);
  EXPECT_EQ(checkpoint.info.name, real.folder);
  ASSERT_NE(checkpoint.tokenizer, nullptr);
  EXPECT_EQ(checkpoint.tokenizer->size(), real.tokenizer);
  for (const ReportLine& line : checkpoint.info.report)
    EXPECT_FALSE(line.topic == ReportLine::Topic::Warning || line.topic == ReportLine::Topic::Ignored) << line.text;
}

constexpr std::int64_t kAll = Window::kNoLimit;

INSTANTIATE_TEST_SUITE_P(
    Folders, HuggingfaceReal,
    testing::Values(Real{"hf-gpt2", "GPT-2", 4, 4, 16, true, kAll, "fp32", 3'432'896, 50257},
                    Real{"hf-llama-gqa", "Llama", 3, 2, 8, false, kAll, "fp32", 254'400, 1024},
                    Real{"hf-llama-bf16-sharded", "Llama", 3, 2, 8, true, kAll, "bf16", 188'864, 1024},
                    Real{"hf-mistral-window", "Mistral", 3, 2, 8, false, 15, "fp32", 254'400, 1024},
                    Real{"hf-qwen2-bias", "Qwen2", 3, 2, 8, false, kAll, "fp32", 254'688, 1024},
                    Real{"hf-qwen3-qknorm", "Qwen3", 3, 2, 16, false, kAll, "fp32", 285'216, 1024}),
    [](const auto& instance) {
      std::string name = instance.param.folder;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(HuggingfaceRealRope, Llama3ScalingIsReadAsSaved) {
  HEADSCOPE_FIXTURE(folder, "hf-llama-bf16-sharded");
  const ModelInfo info = load(folder, {}, Progress()).info;
  EXPECT_EQ(info.config.trained.ropeBase, 500000);
  EXPECT_EQ(info.config.ropeScaling.rule, RopeScaling::Rule::Llama3);
  EXPECT_EQ(info.config.ropeScaling.factor, 8);
  EXPECT_EQ(info.config.ropeScaling.lowFrequency, 1);
  EXPECT_EQ(info.config.ropeScaling.highFrequency, 4);
  EXPECT_EQ(info.config.ropeScaling.originalContext, 64);
  std::vector<std::string> texts;
  for (const ReportLine& line : info.report) texts.push_back(line.text);
  EXPECT_THAT(texts, Contains(HasSubstr("RoPE base 500,000, low frequencies divided by 8")));
}

}  // namespace
}  // namespace core::checkpoint
