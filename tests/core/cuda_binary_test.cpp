// The program as it is built has code for the GPUs it names, and LibTorch's CUDA library with it. Needs no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/elf_file.h"

namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

#ifdef HEADSCOPE_WITH_CUDA
TEST(CudaBinary, HoldsMachineCodeForEachGenerationAndPtxForTheNext) {
  EXPECT_THAT(support::gpuCode(HEADSCOPE_PROGRAM), IsSupersetOf({"sm_80", "sm_90", "sm_100", "compute_100"}));
}

TEST(CudaBinary, NeedsLibTorchsCudaLibrary) {
  EXPECT_THAT(support::neededLibraries(HEADSCOPE_PROGRAM), IsSupersetOf({"libtorch_cuda.so", "libc10_cuda.so"}));
}
#else
TEST(CudaBinary, WithoutCudaHoldsAndNeedsNoneOfIt) {
  EXPECT_TRUE(support::gpuCode(HEADSCOPE_PROGRAM).empty());
  EXPECT_THAT(support::neededLibraries(HEADSCOPE_PROGRAM), Contains("libtorch_cpu.so"));
  EXPECT_THAT(support::neededLibraries(HEADSCOPE_PROGRAM), Not(Contains("libtorch_cuda.so")));
}
#endif

}  // namespace
