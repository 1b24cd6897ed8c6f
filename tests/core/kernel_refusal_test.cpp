// What each kernel is called, what it refuses, and that it says so instead of running something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/attention/kernel_rules.h"
#include "core/attention/kernels.h"
#include "core/attention/stored_mask.h"
#include "core/device.h"
#include "core/error.h"

namespace core {
namespace {

using attention::shapeRefusal;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr Kernel kKernels[] = {Kernel::Manual, Kernel::NanoGptLines,    Kernel::Flash,
                               Kernel::Cudnn,  Kernel::MemoryEfficient, Kernel::Math};
constexpr DType kTypes[] = {DType::Float32, DType::Float16, DType::BFloat16};
constexpr cuda::ComputeCapability kHopper{9, 0};

std::string refused(Kernel kernel, Device device, const AttentionShape& shape,
                    cuda::ComputeCapability capability = kHopper) {
  return shapeRefusal(kernel, device, shape, capability).value_or("taken");
}

TEST(Kernel, EachHasAWordAndANameOfItsOwn) {
  std::set<std::string> words;
  for (const Device device : {Device::Cpu, Device::Cuda}) {
    std::set<std::string> names;
    for (const Kernel kernel : kKernels) {
      words.insert(word(kernel));
      names.insert(kernelName(kernel, device));
    }
    EXPECT_EQ(names.size(), 6u);
    EXPECT_EQ(names.count(""), 0u);
  }
  EXPECT_EQ(words, (std::set<std::string>{"manual", "nanogpt", "flash", "cudnn", "memory-efficient", "math"}));
  EXPECT_STREQ(word(DType::BFloat16), "bf16");
  EXPECT_STREQ(word(Device::Cuda), "cuda");
}

TEST(Kernel, OnlyFlashKernelsAreCalledFlash) {
  for (const Device device : {Device::Cpu, Device::Cuda}) {
    for (const Kernel kernel : kKernels) {
      const std::string name = kernelName(kernel, device);
      EXPECT_EQ(name.find("lash") != std::string::npos, kernel == Kernel::Flash) << name;
    }
  }
  EXPECT_NE(kernelName(Kernel::Flash, Device::Cpu), kernelName(Kernel::Flash, Device::Cuda));
}

TEST(Refusal, TheCpuTakesEveryTypeHeadSizeMaskAndWindow) {
  for (const Kernel kernel : {Kernel::Manual, Kernel::NanoGptLines, Kernel::Flash, Kernel::Math}) {
    for (const DType type : kTypes) {
      for (const std::int64_t D : {1, 7, 64, 300}) {
        EXPECT_EQ(
            refusal(kernel, Device::Cpu,
                    {.H = 4, .Hkv = 2, .T = 9, .D = D, .type = type, .window = {3}, .mask = MaskKind::Bidirectional}),
            std::nullopt);
      }
    }
  }
}

TEST(Refusal, KernelsOfCudaAloneSayThatOnTheCpu) {
  EXPECT_EQ(*refusal(Kernel::Cudnn, Device::Cpu, {}),
            "cuDNN's attention has only a CUDA kernel. On the CPU choose flash, math or manual.");
  EXPECT_THAT(*refusal(Kernel::MemoryEfficient, Device::Cpu, {}), StartsWith("memory-efficient attention has only a"));
}

TEST(Refusal, HeadsThatCannotBeSharedAreRefusedEverywhere) {
  for (const Kernel kernel : kKernels) {
    for (const Device device : {Device::Cpu, Device::Cuda}) {
      EXPECT_EQ(refused(kernel, device, {.H = 12, .Hkv = 5, .type = DType::BFloat16, .window = {}}),
                "12 query heads can't share 5 key/value heads evenly. Choose H as a multiple of Hkv.");
      EXPECT_THAT(refused(kernel, device, {.Hkv = 0, .window = {}}), HasSubstr("Hkv = 0"));
      EXPECT_THAT(refused(kernel, device, {.T = 0, .window = {}}), HasSubstr("T = 0"));
    }
  }
}

TEST(Refusal, OnAGpuFlashAndCudnnTakeHalfTypesOnly) {
  for (const Kernel kernel : {Kernel::Flash, Kernel::Cudnn}) {
    EXPECT_THAT(refused(kernel, Device::Cuda, {.type = DType::Float32, .window = {}}),
                testing::AllOf(StartsWith(kernelName(kernel, Device::Cuda)), HasSubstr("fp16 and bf16 only")));
    EXPECT_EQ(refused(kernel, Device::Cuda, {.type = DType::Float16, .window = {}}), "taken");
    EXPECT_EQ(refused(kernel, Device::Cuda, {.type = DType::BFloat16, .window = {}}), "taken");
  }
  for (const DType type : kTypes) {
    for (const Kernel kernel : {Kernel::Manual, Kernel::NanoGptLines, Kernel::MemoryEfficient, Kernel::Math})
      EXPECT_EQ(refused(kernel, Device::Cuda, {.type = type, .window = {}}), "taken");
  }
}

TEST(Refusal, OnAGpuHeadSizesHaveALimitAndAStep) {
  const auto flash = [](std::int64_t D) {
    return refused(Kernel::Flash, Device::Cuda, {.D = D, .type = DType::Float16, .window = {}});
  };
  EXPECT_EQ(flash(256), "taken");
  EXPECT_EQ(flash(264), "FlashAttention takes heads of at most 256 numbers; these have 264.");
  EXPECT_EQ(flash(8), "taken");
  EXPECT_EQ(flash(12), "FlashAttention takes fp16 heads of a multiple of 8 numbers; these have 12.");
  // 16 bytes are four numbers in fp32.
  EXPECT_EQ(refused(Kernel::MemoryEfficient, Device::Cuda, {.D = 12, .window = {}}), "taken");
  EXPECT_THAT(refused(Kernel::MemoryEfficient, Device::Cuda, {.D = 10, .window = {}}), HasSubstr("a multiple of 4"));
  EXPECT_EQ(refused(Kernel::Manual, Device::Cuda, {.D = 7, .window = {}}), "taken");
  EXPECT_EQ(refused(Kernel::Math, Device::Cuda, {.D = 300, .window = {}}), "taken");
}

TEST(Refusal, OldGpusAreNamedByTheirCapability) {
  const AttentionShape shape{.type = DType::Float16, .window = {}};
  EXPECT_EQ(refused(Kernel::Flash, Device::Cuda, shape, {7, 5}),
            "FlashAttention needs a GPU of compute capability 8.0 or newer; this one has 7.5.");
  EXPECT_EQ(refused(Kernel::Flash, Device::Cuda, shape, {8, 0}), "taken");
  EXPECT_EQ(refused(Kernel::Flash, Device::Cuda, shape, {10, 0}), "taken");
  EXPECT_EQ(refused(Kernel::MemoryEfficient, Device::Cuda, shape, {7, 5}), "taken");
}

TEST(Refusal, WithoutAGpuEveryKernelOfCudaSaysWhyThereIsNone) {
  const auto reason = whyNoCuda();
  if (!reason) GTEST_SKIP() << "a GPU is there";
  for (const Kernel kernel : kKernels)
    EXPECT_EQ(refusal(kernel, Device::Cuda, {.type = DType::BFloat16, .window = {}}), reason);
}

attention::AttentionInput input(std::int64_t R, std::int64_t T, Window window = {}, MaskKind kind = MaskKind::Causal) {
  at::manual_seed(3);
  return {at::randn({1, 4, R, 8}), at::randn({1, 2, T, 8}), at::randn({1, 2, T, 8}), AttentionMask(T, window, kind)};
}

/// The sentence of the Error that the call throws.
template <class Call>
std::string thrown(Call&& call) {
  try {
    call();
    return "nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported);
    return error.what();
  }
}

TEST(RunKernel, ThrowsTheRefusalAndRunsNoOtherKernel) {
  EXPECT_THAT(thrown([] { attention::runKernel(Kernel::Cudnn, input(5, 5)); }), HasSubstr("has only a CUDA kernel"));
  auto wrongType = input(5, 5);
  wrongType.q = wrongType.q.to(at::kDouble);
  EXPECT_THAT(thrown([&] { attention::runKernel(Kernel::Math, wrongType); }), HasSubstr("Double"));
}

TEST(RunKernel, WhatLibTorchRefusesBecomesASentenceWithItsFirstLine) {
  auto uneven = input(5, 5);
  uneven.v = uneven.v.to(at::kBFloat16);
  const std::string sentence = thrown([&] { attention::runKernel(Kernel::Flash, uneven); });
  EXPECT_THAT(sentence, StartsWith("LibTorch's flash kernel for the CPU does not take this input. LibTorch: "));
  EXPECT_THAT(sentence, Not(HasSubstr("\n")));
}

TEST(RunKernel, MathSaysHowLargeItsMaskIs) {
  const auto bytes = [](const attention::AttentionInput& of) {
    return attention::runKernel(Kernel::Math, of).maskBytes;
  };
  EXPECT_EQ(bytes(input(40, 40, {}, MaskKind::Bidirectional)), 0);
  EXPECT_EQ(bytes(input(1, 40)), 0);             // the last query sees all
  EXPECT_EQ(bytes(input(40, 40)), 40 * 48 * 4);  // rows of 40 lie 48 apart
}

TEST(StoredMask, IsMinusInfinityOutsideTheWindowAndItsRowsAreAligned) {
  const std::int64_t R = 9, T = 37, left = 5;
  for (const MaskKind kind : {MaskKind::Causal, MaskKind::Bidirectional}) {
    const auto windowed = input(R, T, {left}, kind);
    const at::Tensor bias = attention::biasMask(windowed);
    ASSERT_EQ(bias.sizes(), (std::vector<std::int64_t>{R, T}));
    EXPECT_EQ(bias.stride(0) % 16, 0);
    EXPECT_EQ(attention::storedBytes(bias), R * 48 * 4);
    for (std::int64_t r = 0; r < R; ++r) {
      const std::int64_t i = T - R + r;
      for (std::int64_t j = 0; j < T; ++j) {
        const bool sees = std::abs(i - j) <= left && (kind == MaskKind::Bidirectional || j <= i);
        EXPECT_EQ(bias[r][j].item<float>(), sees ? 0 : -std::numeric_limits<float>::infinity()) << i << ", " << j;
      }
    }
  }
}

TEST(StoredMask, PlainCausalAndNothingHiddenNeedNone) {
  EXPECT_TRUE(attention::isPlainCausal(input(40, 40)));
  EXPECT_TRUE(attention::isPlainCausal(input(40, 40, {39})));
  EXPECT_FALSE(attention::isPlainCausal(input(40, 40, {38})));
  EXPECT_FALSE(attention::isPlainCausal(input(39, 40)));
  EXPECT_FALSE(attention::isPlainCausal(input(40, 40, {}, MaskKind::Bidirectional)));
  EXPECT_TRUE(attention::hidesNothing(input(40, 40, {39}, MaskKind::Bidirectional)));
  EXPECT_FALSE(attention::hidesNothing(input(40, 40, {38}, MaskKind::Bidirectional)));
  EXPECT_TRUE(attention::hidesNothing(input(1, 40)));
  EXPECT_FALSE(attention::hidesNothing(input(2, 40)));
}

}  // namespace
}  // namespace core
