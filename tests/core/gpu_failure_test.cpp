// A GPU that is full, and one that is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/attention/door.h"
#include "tests/core/gpu_test.h"

namespace core::attention {
namespace {

using namespace gpu_test;

constexpr std::int64_t kEvery = Case::kEvery;

TEST(GpuFailure, AFullGpuIsAnErrorAndTheNextRunWorks) {
  HEADSCOPE_GPU();
  const std::int64_t T = 65536;
  const Case large{1, 64, 64, T, T, 8, kEvery, MaskKind::Bidirectional};  // its scores: 1 TiB
  try {
    atTheDoor("Timing attention", [&] { return runKernel(Kernel::Math, randomInput(large, at::kBFloat16)); });
    FAIL() << "a GPU that holds " << large.H << " times T x T";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory) << error.what() << error.details();
    EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith("Timing attention needs more memory than the GPU"),
                                             testing::HasSubstr("did not fit"), testing::HasSubstr("GiB are free")));
  }
  EXPECT_EQ(whyNoCuda(), std::nullopt);
  const Case small{1, 2, 2, 64, 64, 64, kEvery};
  const AttentionInput input = randomInput(small, at::kBFloat16);
  EXPECT_LE(worst(runKernel(Kernel::Flash, input).output, plain(small, input).output), 2e-2);
}

/// Reads outside of a tensor in a kernel, which breaks the GPU's context. 0: it was told as it should be.
int loseTheGpu() {
  const auto lost = [](const std::string& text) { return text.find("unusable until") != std::string::npos; };
  try {
    atTheDoor("Running the prompt", [] {
      const at::Tensor values = at::ones({4}, at::TensorOptions(at::kCUDA));
      return values.index_select(0, at::full({1}, 1000, at::TensorOptions(at::kCUDA).dtype(at::kLong))).item<float>();
    });
    return 1;
  } catch (const Error& error) {
    if (!lost(error.what())) return 2;
  }
  if (!whyNoCuda() || !lost(*whyNoCuda())) return 3;
  if (!refusal(Kernel::Flash, Device::Cuda, {.type = DType::BFloat16, .window = {}})) return 4;
  return at::ones({2}).sum().item<float>() == 2 ? 0 : 5;  // the CPU goes on
}

TEST(GpuFailure, ALostGpuIsSaidAndTheCpuGoesOn) {
  HEADSCOPE_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own: this one keeps its GPU
  EXPECT_EXIT(
      {
        whyNoCuda();
        std::_Exit(loseTheGpu());
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace core::attention
