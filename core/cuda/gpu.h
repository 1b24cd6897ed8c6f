// The state of the GPU in this process: usable, not there, or lost. Does nothing in a build without CUDA.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "core/cuda/failures.h"
#include "core/device.h"

namespace core::cuda {

/// Why the GPU is lost for this process, asked after an error of LibTorch: some errors leave the GPU's context
/// unusable, and every later call of the process would fail with the same one. nullopt where the GPU answers or was
/// never used. What was found is what whyNoCuda() says from then on.
std::optional<std::string> lostGpu();

/// Gives the memory that LibTorch keeps for later back to the GPU; returns what is free then.
GpuMemory releaseMemory();

/// Of the current device; all 0 where it does not answer.
GpuMemory gpuMemory();

/// 9.0 is {9, 0}.
struct ComputeCapability {
  int major = 0;
  int minor = 0;
  friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

/// Of the current device, a cheap call; {0, 0} where there is none.
ComputeCapability computeCapability();

/// "13.2", of the runtime that this build links.
std::string runtimeVersion();

}  // namespace core::cuda
