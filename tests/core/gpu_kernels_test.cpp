// The kernels of CUDA against the formula in float64, and against each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/attention/memory_meter.h"
#include "core/error.h"
#include "tests/core/gpu_test.h"

namespace core::attention {
namespace {

using namespace gpu_test;

constexpr std::int64_t kEvery = Case::kEvery;
constexpr MaskKind kBoth = MaskKind::Bidirectional;
constexpr at::ScalarType kHalfTypes[] = {at::kHalf, at::kBFloat16};

class GpuKernels : public testing::TestWithParam<Case> {};

TEST_P(GpuKernels, FlashEqualsTheFormulaAndTheManualPath) {
  HEADSCOPE_GPU();
  for (const at::ScalarType type : kHalfTypes) {
    SCOPED_TRACE(at::toString(type));
    const AttentionInput input = randomInput(GetParam(), type);
    const Plain expected = plain(GetParam(), input);
    const AttentionOutput flash = runKernel(Kernel::Flash, input);
    const AttentionOutput manual = runKernel(Kernel::Manual, input);
    EXPECT_EQ(flash.output.sizes(), input.q.sizes());
    EXPECT_EQ(flash.output.scalar_type(), type);
    EXPECT_LE(worst(flash.output, expected.output), 2e-2);
    EXPECT_LE(worst(flash.output, manual.output), 2e-2);
    EXPECT_LE(worst(flash.lse, expected.lse), 1e-3);
    EXPECT_EQ(flash.lse.scalar_type(), at::kFloat);
    EXPECT_EQ(flash.maskBytes, 0);
  }
}

TEST_P(GpuKernels, TheManualPathInFp32EqualsTheFormula) {
  HEADSCOPE_GPU();
  const AttentionInput input = randomInput(GetParam(), at::kFloat);
  const Plain expected = plain(GetParam(), input);
  const AttentionOutput manual = runKernel(Kernel::Manual, input);
  EXPECT_LE(worst(manual.output, expected.output), 1e-5);
  EXPECT_LE(worst(manual.lse, expected.lse), 1e-5);
}

TEST_P(GpuKernels, EveryOtherKernelEqualsTheFormulaOrSaysWhyNot) {
  HEADSCOPE_GPU();
  for (const Kernel kernel : {Kernel::NanoGptLines, Kernel::Cudnn, Kernel::MemoryEfficient, Kernel::Math}) {
    for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
      SCOPED_TRACE(std::string(word(kernel)) + " " + at::toString(type));
      const AttentionInput input = randomInput(GetParam(), type);
      try {
        const AttentionOutput result = runKernel(kernel, input);
        const Plain expected = plain(GetParam(), input);
        EXPECT_LE(worst(result.output, expected.output), type == at::kFloat ? 1e-4 : 2e-2);
        if (result.lse.defined()) {
          EXPECT_LE(worst(result.lse, expected.lse), 1e-3);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
        EXPECT_THAT(error.what(), testing::StartsWith(kernelName(kernel, Device::Cuda)));
        EXPECT_EQ(kernel, Kernel::Cudnn) << "only cuDNN may find no plan of its own: " << error.what();
      }
    }
  }
}

// "Outside the window" is told apart by keys at i - j == left and left + 1.
TEST_P(GpuKernels, ValuesThatAQueryDoesNotSeeLeaveItsOutputTheSameToTheBit) {
  HEADSCOPE_GPU();
  const Case& c = GetParam();
  for (const at::ScalarType type : kHalfTypes) {
    const AttentionInput input = randomInput(c, type);
    const at::Tensor before = runKernel(Kernel::Flash, input).output;
    const std::int64_t i = c.T - 1 - (c.R - 1) / 2;  // a query in the middle
    const std::int64_t row = i - (c.T - c.R);
    AttentionInput changed = input;
    changed.v = input.v.clone();
    for (std::int64_t j = 0; j < c.T; ++j)
      if (!c.visible(i, j)) changed.v.select(2, j).fill_(1000);
    EXPECT_TRUE(at::equal(runKernel(Kernel::Flash, changed).output.select(2, row), before.select(2, row)));
    for (std::int64_t j = 0; j < c.T; ++j)
      if (c.visible(i, j)) changed.v.select(2, j).fill_(1000);
    EXPECT_FALSE(at::equal(runKernel(Kernel::Flash, changed).output.select(2, row), before.select(2, row)));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, GpuKernels,
                         testing::Values(Case{1, 1, 1, 1, 1, 8, kEvery}, Case{2, 6, 2, 65, 65, 64, kEvery},
                                         Case{1, 12, 12, 1024, 1024, 64, kEvery}, Case{1, 4, 4, 200, 200, 256, kEvery},
                                         Case{1, 8, 2, 300, 300, 128, kEvery},
                                         // windows, also with grouped heads
                                         Case{1, 2, 1, 40, 40, 64, 0}, Case{1, 4, 2, 300, 300, 64, 1},
                                         Case{2, 4, 2, 1000, 1000, 64, 127}, Case{1, 4, 4, 1000, 1000, 128, 128},
                                         Case{1, 2, 2, 130, 130, 64, 129},
                                         // bidirectional
                                         Case{1, 4, 2, 65, 65, 64, kEvery, kBoth}, Case{1, 2, 1, 40, 40, 64, 0, kBoth},
                                         Case{2, 4, 2, 300, 300, 64, 7, kBoth},
                                         // the last queries alone, as with a KV cache
                                         Case{1, 4, 2, 1, 300, 64, kEvery}, Case{1, 4, 2, 1, 300, 64, 7},
                                         Case{1, 4, 2, 70, 300, 64, kEvery}, Case{1, 4, 2, 70, 300, 64, 20}));

TEST(GpuFlash, RefusesFp32AndLargeHeadsBeforeItRuns) {
  HEADSCOPE_GPU();
  const auto sentence = [](const Case& c, at::ScalarType type) -> std::string {
    try {
      runKernel(Kernel::Flash, randomInput(c, type));
    } catch (const Error& error) {
      return error.what();
    }
    return "it ran";
  };
  EXPECT_THAT(sentence({1, 2, 2, 8, 8, 64, kEvery}, at::kFloat), testing::HasSubstr("fp16 and bf16 only"));
  EXPECT_THAT(sentence({1, 2, 2, 8, 8, 264, kEvery}, at::kHalf), testing::HasSubstr("at most 256"));
  EXPECT_THAT(sentence({1, 2, 2, 8, 8, 12, kEvery}, at::kHalf), testing::HasSubstr("multiple of 8"));
}

TEST(GpuFlash, HoldsNoTimesTAtAnyWindow) {
  HEADSCOPE_GPU();
  const std::int64_t T = 16384;
  for (const std::int64_t left : {kEvery, std::int64_t{512}}) {
    const AttentionInput input = randomInput({1, 8, 2, T, T, 64, left}, at::kBFloat16);
    runKernel(Kernel::Flash, input);  // what a first run keeps for good
    const std::int64_t bytes = peakBytes(Device::Cuda, [&] { runKernel(Kernel::Flash, input); });
    EXPECT_GT(bytes, 8 * T * 64 * 2);      // the output
    EXPECT_LT(bytes, 4 * 8 * T * 64 * 2);  // T x T of one head alone: eight times that
  }
}

}  // namespace
}  // namespace core::attention
