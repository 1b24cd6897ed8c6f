// What the CUDA runtime's errors become, for every code and without a GPU; and what the build says of itself here.
#include "core/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/attention/door.h"
#include "core/cuda/failures.h"
#include "core/cuda/gpu.h"

#ifdef HEADSCOPE_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace core {
namespace {

using cuda::Failure;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string unusable(int code, int driver = 13020, std::optional<std::string> visible = std::nullopt) {
  return cuda::whyUnusable({code, "cudaErrorName", "its words", driver, 13020, visible});
}

constexpr int kSticky[] = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810};

TEST(CudaFailure, NoDriverAndAnOldOneAreToldApart) {
  EXPECT_THAT(unusable(35, 0), AllOf(StartsWith("There is no NVIDIA driver on this machine"), HasSubstr("CUDA 13.2")));
  EXPECT_THAT(unusable(35, 12040), AllOf(HasSubstr("too old"), HasSubstr("CUDA 12.4"), HasSubstr("CUDA 13.2")));
}

TEST(CudaFailure, NoDeviceNamesTheVariableThatMayHideIt) {
  EXPECT_THAT(unusable(100), AllOf(HasSubstr("finds no GPU"), Not(HasSubstr("CUDA_VISIBLE_DEVICES"))));
  EXPECT_THAT(unusable(100, 13020, "7"), HasSubstr("CUDA_VISIBLE_DEVICES is \"7\""));
  EXPECT_THAT(unusable(100, 13020, ""), HasSubstr("CUDA_VISIBLE_DEVICES is \"\""));
}

TEST(CudaFailure, MissingMachineCodeSaysForWhichGpusThereIsSome) {
  for (const int code : {98, 200, 209, 218}) EXPECT_THAT(unusable(code), HasSubstr("compute capability 8.0"));
}

TEST(CudaFailure, FullMemoryAtTheStartIsOfThisMoment) {
  EXPECT_THAT(unusable(2), AllOf(HasSubstr("too little free memory"), Not(HasSubstr("unusable"))));
}

TEST(CudaFailure, ErrorsThatStayMakeTheGpuUnusableUntilTheNextStart) {
  for (const int code : kSticky) EXPECT_THAT(unusable(code), HasSubstr("unusable until Headscope is started again"));
  for (const int code : {2, 35, 46, 98, 100, 209, 999})
    EXPECT_THAT(unusable(code), Not(HasSubstr("until Headscope is started again"))) << code;
}

TEST(CudaFailure, EveryCodeGivesASentenceWithTheRuntimesOwnWords) {
  for (int code = 1; code < 1100; ++code) {
    const std::string sentence = unusable(code);
    EXPECT_THAT(sentence, AllOf(HasSubstr("(cudaErrorName: its words)"), EndsWith("."))) << code;
  }
}

#ifdef HEADSCOPE_WITH_CUDA
// The table in failures.cpp writes numbers, because a build without CUDA has no header that names them.
TEST(CudaFailure, TheNumbersAreThoseOfTheRuntime) {
  EXPECT_EQ(cudaErrorMemoryAllocation, 2);
  EXPECT_EQ(cudaErrorInsufficientDriver, 35);
  EXPECT_EQ(cudaErrorInvalidDeviceFunction, 98);
  EXPECT_EQ(cudaErrorNoDevice, 100);
  EXPECT_EQ(cudaErrorNoKernelImageForDevice, 209);
  const cudaError_t sticky[] = {cudaErrorECCUncorrectable,
                                cudaErrorNvlinkUncorrectable,
                                cudaErrorContained,
                                cudaErrorIllegalAddress,
                                cudaErrorLaunchTimeout,
                                cudaErrorContextIsDestroyed,
                                cudaErrorAssert,
                                cudaErrorHardwareStackError,
                                cudaErrorIllegalInstruction,
                                cudaErrorMisalignedAddress,
                                cudaErrorInvalidAddressSpace,
                                cudaErrorInvalidPc,
                                cudaErrorLaunchFailure,
                                static_cast<cudaError_t>(721),  // TensorMemoryLeak, which CUDA 12 does not name
                                cudaErrorMpsClientTerminated};
  EXPECT_THAT(kSticky, testing::ElementsAreArray(sticky));
}
#endif

TEST(CudaFailure, FullMemoryWhileRunningSaysWhatWasNeededAndWhatIsFree) {
  const char* message =
      "CUDA out of memory. Tried to allocate 20.50 GiB. GPU 0 has a total capacity of 139.81 GiB of which 3.00 GiB is "
      "free.";
  EXPECT_TRUE(cuda::isGpuOutOfMemory(message));
  EXPECT_TRUE(cuda::isGpuOutOfMemory("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
  EXPECT_FALSE(cuda::isGpuOutOfMemory("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes."));
  EXPECT_EQ(
      cuda::outOfGpuMemory("Running the prompt", message, {std::int64_t{3} << 30, std::int64_t{18} << 30}),
      "Running the prompt needs more memory than the GPU has free: a buffer of 20.50 GiB did not fit; without this "
      "run 3.0 of 18.0 GiB are free. Use a shorter prompt or fewer layers, or the CPU.");
  EXPECT_THAT(cuda::outOfGpuMemory("Running", "CUBLAS_STATUS_ALLOC_FAILED", {}), HasSubstr("has free; without"));
}

/// The Error that `work` becomes at the door.
template <class Work>
Error atTheDoor(Work&& work) {
  try {
    attention::atTheDoor("Running the prompt", work);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::Io, "nothing was thrown"};
}

TEST(Door, TellsAFullGpuFromAFullMachine) {
  const Error gpu =
      atTheDoor([] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate 9.00 GiB. "); });
  EXPECT_EQ(gpu.kind(), ErrorKind::OutOfMemory);
  EXPECT_THAT(gpu.what(), AllOf(HasSubstr("the GPU has free"), HasSubstr("9.00 GiB did not fit")));
  const Error machine = atTheDoor([] { return at::empty({std::int64_t{1} << 55}); });
  EXPECT_EQ(machine.kind(), ErrorKind::OutOfMemory);
  EXPECT_THAT(machine.what(), HasSubstr("this machine has free"));
  EXPECT_EQ(atTheDoor([] { throw std::bad_alloc(); }).kind(), ErrorKind::OutOfMemory);
}

TEST(Door, KeepsOurOwnErrorsAndTurnsForeignOnesIntoThem) {
  EXPECT_EQ(atTheDoor([] { throw Error(ErrorKind::Cancelled, "Cancelled."); }).kind(), ErrorKind::Cancelled);
  EXPECT_EQ(atTheDoor([] { TORCH_CHECK(false, "no such thing"); }).kind(), ErrorKind::Unsupported);
  EXPECT_EQ(atTheDoor([] { throw std::out_of_range("far"); }).details(), "far");
  EXPECT_EQ(attention::atTheDoor("Adding", [] { return 1 + 1; }), 2);
}

TEST(Device, AGpuIsThereOrASentenceSaysWhyNot) {
  const std::optional<std::string> reason = whyNoCuda();
  EXPECT_EQ(whyNoCuda(), reason);
  EXPECT_EQ(gpuFacts().has_value(), !reason.has_value());
  const DeviceFacts facts = deviceFacts();
  if (reason) {
    EXPECT_EQ(facts.cuda, *reason);
    EXPECT_THAT(*reason, EndsWith("."));
    EXPECT_EQ(cuda::lostGpu(), std::nullopt) << "a GPU that never was can't be lost";
  } else {
    EXPECT_THAT(facts.cuda, AllOf(HasSubstr(gpuFacts()->name), HasSubstr("GiB free")));
  }
}

TEST(Device, ABuildWithoutCudaSaysSo) {
#ifdef HEADSCOPE_WITH_CUDA
  GTEST_SKIP() << "this build has CUDA";
#else
  EXPECT_THAT(*whyNoCuda(), StartsWith("CUDA is left out of this build: "));
#endif
}

}  // namespace
}  // namespace core
