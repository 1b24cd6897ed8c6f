#include "core/cuda/gpu.h"

#ifdef HEADSCOPE_WITH_CUDA

#include <ATen/ATen.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <mutex>

#include "core/cuda/probe.h"

namespace core {
namespace cuda {

namespace {

/// The driver has one state for the whole process, and so has what we know of it.
struct State {
  std::mutex mutex;
  bool looked = false;
  std::optional<std::string> whyNot;  ///< from the start
  std::optional<std::string> lost;    ///< since an error while it was used
};

State& state() {
  static State theState;
  return theState;
}

Failure describe(cudaError_t code) {
  Failure failure{.code = code, .name = cudaGetErrorName(code), .text = cudaGetErrorString(code)};
  cudaDriverGetVersion(&failure.driver);
  cudaRuntimeGetVersion(&failure.runtime);
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) failure.visibleDevices = visible;
  return failure;
}

/// LibTorch has its own kernels for its own list of GPUs: one of them has to run as well.
std::optional<std::string> whyLibTorchCannot() {
  try {
    const c10::InferenceMode inference;
    at::ones({1}, at::TensorOptions(at::kCUDA)).add_(1).item<float>();
    return std::nullopt;
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    if (isGpuOutOfMemory(message)) return whyUnusable(describe(cudaErrorMemoryAllocation));
    if (message.find("no kernel image") != std::string::npos)
      return whyUnusable(describe(cudaErrorNoKernelImageForDevice));
    return "LibTorch does not start on the GPU: " + message.substr(0, message.find('\n')) + ".";
  }
}

std::optional<std::string> look() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
    return whyUnusable(describe(status));
  if (count == 0) return whyUnusable(describe(cudaErrorNoDevice));
  if (const auto status = static_cast<cudaError_t>(launchProbe()); status != cudaSuccess)
    return whyUnusable(describe(status));
  return whyLibTorchCannot();
}

}  // namespace

std::optional<std::string> lostGpu() {
  State& known = state();
  const std::scoped_lock lock(known.mutex);
  if (!known.looked || known.whyNot) return std::nullopt;
  cudaGetLastError();  // an error of one call alone ends here; what comes back all the same is the context's
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess && !known.lost) known.lost = whyLost(describe(status));
  return known.lost;
}

GpuMemory gpuMemory() {
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) return {};
  return {static_cast<std::int64_t>(free), static_cast<std::int64_t>(total)};
}

GpuMemory releaseMemory() {
  if (whyNoCuda()) return {};
  c10::cuda::CUDACachingAllocator::emptyCache();
  return gpuMemory();
}

ComputeCapability computeCapability() {
  int device = 0;
  ComputeCapability capability;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    return {};
  }
  return capability;
}

std::string runtimeVersion() { return versionText(CUDART_VERSION); }

}  // namespace cuda

std::optional<std::string> whyNoCuda() {
  cuda::State& known = cuda::state();
  const std::scoped_lock lock(known.mutex);
  if (!known.looked) known.whyNot = cuda::look();
  known.looked = true;
  return known.lost ? known.lost : known.whyNot;
}

std::optional<GpuFacts> gpuFacts() {
  cudaDeviceProp properties{};
  int count = 0;
  if (whyNoCuda() || cudaGetDeviceProperties(&properties, 0) != cudaSuccess ||
      cudaGetDeviceCount(&count) != cudaSuccess) {
    return std::nullopt;
  }
  const cuda::GpuMemory memory = cuda::gpuMemory();
  return GpuFacts{.name = properties.name,
                  .major = properties.major,
                  .minor = properties.minor,
                  .freeBytes = memory.free,
                  .totalBytes = memory.total,
                  .visible = count};
}

}  // namespace core

#else

namespace core {
namespace cuda {

std::optional<std::string> lostGpu() { return std::nullopt; }
GpuMemory gpuMemory() { return {}; }
GpuMemory releaseMemory() { return {}; }
ComputeCapability computeCapability() { return {}; }
std::string runtimeVersion() { return "none"; }

}  // namespace cuda

std::optional<std::string> whyNoCuda() { return "CUDA is left out of this build: " HEADSCOPE_CUDA_LEFT_OUT "."; }
std::optional<GpuFacts> gpuFacts() { return std::nullopt; }

}  // namespace core

#endif
