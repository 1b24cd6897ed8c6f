#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

/// What both files of the trained model have in common. Sources: the checkpoint's own model_args; torch.load for the
/// weights.
void expectShakespeare(const Checkpoint& checkpoint) {
  const ModelConfig& config = checkpoint.info.config;
  EXPECT_EQ(config.layers, 6);
  EXPECT_EQ(config.heads, 6);
  EXPECT_EQ(config.embedding, 192);
  EXPECT_EQ(config.headSize, 32);
  EXPECT_EQ(config.context, 256);
  EXPECT_EQ(config.vocabulary, 65);
  EXPECT_FALSE(config.biases.qkv);
  EXPECT_TRUE(config.tiedHead);
  EXPECT_EQ(checkpoint.tensors.size(), 40u);  // 6 layers of 6, wte, wpe, ln_f, lm_head
  // 65 x 192 + 256 x 192 + 6 (192 + 576 x 192 + 192 x 192 + 192 + 768 x 192 + 192 x 768) + 192
  EXPECT_EQ(checkpoint.info.parameters, 2'718'336);
  EXPECT_EQ(checkpoint.info.bytesRead, 4 * 2'718'336);
  EXPECT_EQ(checkpoint.info.storedType, "fp32");
  EXPECT_EQ(checkpoint.info.tokenizer, "65 characters (meta.pkl)");
  ASSERT_NE(checkpoint.tokenizer, nullptr);
  EXPECT_EQ(checkpoint.tokenizer->encode("ROMEO:").ids, (std::vector<TokenId>{30, 27, 25, 17, 27, 10}));
  for (const ReportLine& line : checkpoint.info.report) EXPECT_NE(line.topic, ReportLine::Topic::Warning) << line.text;
}

TEST(RealCheckpoint, FixtureOpensAndItsOptimizerStaysUnread) {
  HEADSCOPE_FIXTURE(path, "nanogpt-shakespeare-char/ckpt.pt");
  const Checkpoint checkpoint = load(path, {}, Progress());
  expectShakespeare(checkpoint);
  EXPECT_EQ(checkpoint.info.name, "nanogpt-shakespeare-char");
}

TEST(RealCheckpoint, BundledModelOpens) {
  const Checkpoint checkpoint = load(support::repository("models/shakespeare-char"), {}, Progress());
  expectShakespeare(checkpoint);
  EXPECT_EQ(checkpoint.info.name, "shakespeare-char");
}

TEST(RealCheckpoint, BundledModelEqualsTheFixtureInEveryByte) {
  HEADSCOPE_FIXTURE(path, "nanogpt-shakespeare-char/ckpt.pt");
  const Checkpoint whole = load(path, {}, Progress());
  const Checkpoint bundled = load(support::repository("models/shakespeare-char"), {}, Progress());
  for (const auto& [name, tensor] : whole.tensors) {
    const Tensor& other = bundled.tensors.at(name);
    ASSERT_EQ(tensor.shape, other.shape) << name;
    EXPECT_EQ(std::memcmp(tensor.data.get(), other.data.get(), static_cast<std::size_t>(tensor.elements()) * 4), 0)
        << name;
  }
}

}  // namespace
}  // namespace core::checkpoint
