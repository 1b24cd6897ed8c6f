#include "core/device.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include "core/cuda/gpu.h"

namespace core {

namespace {

std::string cudaSentence() {
  if (const std::optional<std::string> reason = whyNoCuda()) return *reason;
  const std::optional<GpuFacts> gpu = gpuFacts();
  if (!gpu) return "The GPU does not answer.";
  const std::string others = gpu->visible > 1 ? ", the first of " + std::to_string(gpu->visible) : "";
  return "CUDA " + cuda::runtimeVersion() + " on " + gpu->name + others + ", compute capability " +
         std::to_string(gpu->major) + "." + std::to_string(gpu->minor) + ", " +
         cuda::memoryText({gpu->freeBytes, gpu->totalBytes}) + " free.";
}

}  // namespace

DeviceFacts deviceFacts() { return {TORCH_VERSION, cudaSentence(), at::get_num_threads()}; }

}  // namespace core
