// The program as it is built: code for the GPUs it names, LibTorch's CUDA library, and libraries in the right order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/core/elf_file.h"

namespace {

using testing::Contains;
using testing::IsSupersetOf;
using testing::Not;

// Both have a global FLAGS_minloglevel, and the first gives it to both. LibTorch's is an int, SentencePiece's an
// object, whose constructor would write over what lies behind the int.
TEST(ProgramBinary, SentencePieceIsLoadedBeforeLibTorch) {
  const std::vector<std::string> libraries = support::neededLibraries(HEADSCOPE_PROGRAM);
  const auto place = [&](const std::string& name) {
    return std::find_if(libraries.begin(), libraries.end(),
                        [&](const std::string& library) { return library.starts_with(name); });
  };
  ASSERT_NE(place("libsentencepiece."), libraries.end());
  ASSERT_NE(place("libc10."), libraries.end());
  EXPECT_LT(place("libsentencepiece."), place("libc10."));
  EXPECT_LT(place("libsentencepiece."), place("libtorch"));
}

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
