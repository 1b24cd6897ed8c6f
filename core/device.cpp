#include "core/device.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#ifdef HEADSCOPE_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace core {

namespace {

std::string cudaSentence() {
#ifdef HEADSCOPE_WITH_CUDA
  const std::string built =
      "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10) + " is linked";
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) return built + "; no device: " + cudaGetErrorString(status) + ".";
  if (count == 0) return built + "; no device.";
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return built + "; the first device does not answer.";
  return built + "; " + std::to_string(count) + (count == 1 ? " device: " : " devices, the first: ") + properties.name +
         ".";
#else
  return "CUDA is left out of this build.";
#endif
}

}  // namespace

DeviceFacts deviceFacts() { return {TORCH_VERSION, cudaSentence(), at::get_num_threads()}; }

}  // namespace core
