#include <cuda_runtime_api.h>

#include "core/cuda/probe.h"

namespace core::cuda {

namespace {

constexpr int kWritten = 0x4ead;

__global__ void write(int* target) { *target = kWritten; }

cudaError_t launch(int* target, int& answer) {
  write<<<1, 1>>>(target);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) return status;
  return cudaMemcpy(&answer, target, sizeof answer, cudaMemcpyDeviceToHost);  // waits for the kernel
}

}  // namespace

int launchProbe() {
  int* target = nullptr;
  if (const cudaError_t status = cudaMalloc(&target, sizeof *target); status != cudaSuccess) return status;
  int answer = 0;
  const cudaError_t status = launch(target, answer);
  cudaFree(target);
  return status == cudaSuccess && answer != kWritten ? cudaErrorUnknown : status;
}

}  // namespace core::cuda
