// A model's forward pass on the GPU is that of the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/attention_map.h"
#include "core/session.h"
#include "tests/core/gpu_test.h"
#include "tests/support/files.h"

namespace core {
namespace {

constexpr const char* kText = "ROMEO:\nBut soft, what light through yonder window breaks?";

std::shared_ptr<const Session> opened(Device device) {
  OpenOptions options;
  options.device = device;
  return Session::open(support::repository("models/shakespeare-char"), options, Progress());
}

TEST(GpuSession, RunsTheModelToTheSameMapsAndLogits) {
  HEADSCOPE_GPU();
  const auto cpu = opened(Device::Cpu);
  const auto gpu = opened(Device::Cuda);
  const std::vector<TokenId> tokens = cpu->check(kText).tokens;
  const auto expected = cpu->run({tokens}, Progress());
  const auto actual = gpu->run({tokens}, Progress());
  const PositionRange all{0, expected->size()};
  const ModelConfig& config = cpu->info().config;
  for (int layer = 0; layer < config.layers; ++layer) {
    for (int head = 0; head < config.heads; ++head) {
      const HeadId id{Layer(layer), Head(head)};
      const MapValues a = AttentionMap(expected, id).rectangle(Stage::Weights, {all, all});
      const MapValues b = AttentionMap(actual, id).rectangle(Stage::Weights, {all, all});
      ASSERT_EQ(a.values.size(), b.values.size());
      for (std::size_t n = 0; n < a.values.size(); ++n) ASSERT_NEAR(a.values[n], b.values[n], 1e-5) << layer << head;
    }
  }
  const std::vector<float> a = expected->logits(all);
  const std::vector<float> b = actual->logits(all);
  const auto [least, most] = std::minmax_element(a.begin(), a.end());
  for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 1e-3 * (*most - *least));
}

TEST(GpuSession, WithoutAGpuOpeningOnOneIsRefusedWithTheReason) {
  const auto reason = whyNoCuda();
  if (!reason) GTEST_SKIP() << "a GPU is there";
  try {
    opened(Device::Cuda);
    FAIL() << "it opened";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(*reason), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace core
