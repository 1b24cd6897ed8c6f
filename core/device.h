// What the linked LibTorch can compute on; for About, reports and exports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace core {

struct DeviceFacts {
  std::string torch;  ///< "2.15.0"
  std::string cuda;   ///< a sentence: the GPU, or why none is used
  int threads = 1;    ///< intra-op threads of the CPU kernels
};

/// Looks once at what is there; never throws, whatever the driver says.
DeviceFacts deviceFacts();

/// Why nothing can run on CUDA, as a sentence with what would help; nullopt: LibTorch and a kernel of ours have run on
/// the GPU. The first call looks and may take a second; the answer stays, unless the GPU is lost later.
std::optional<std::string> whyNoCuda();

/// The GPU in use: the first one that CUDA_VISIBLE_DEVICES leaves.
struct GpuFacts {
  std::string name;  ///< "NVIDIA H200 MIG 1g.18gb"
  int major = 0;     ///< compute capability
  int minor = 0;
  std::int64_t freeBytes = 0;  ///< now; of the slice where the GPU is shared out
  std::int64_t totalBytes = 0;
  int visible = 1;  ///< how many GPUs the process sees
};

/// nullopt where whyNoCuda() has a reason.
std::optional<GpuFacts> gpuFacts();

}  // namespace core
