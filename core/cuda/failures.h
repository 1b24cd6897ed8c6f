// What the CUDA runtime's errors mean to a user: error codes in, sentences out. No CUDA header, so that it is built and
// tested on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace core::cuda {

/// An error of the CUDA runtime and what one needs to explain it.
struct Failure {
  int code = 0;                                              ///< cudaError_t
  std::string name;                                          ///< "cudaErrorNoDevice"
  std::string text;                                          ///< the runtime's own words
  int driver = 0;                                            ///< CUDA version of the driver as 13020; 0: no driver
  int runtime = 0;                                           ///< CUDA version of this build
  std::optional<std::string> visibleDevices = std::nullopt;  ///< $CUDA_VISIBLE_DEVICES where it is set
};

/// "13.2" of 13020.
std::string versionText(int version);

/// Why a GPU can't be used from the start. Ends with what would help.
std::string whyUnusable(const Failure& failure);

/// The same for a GPU that failed while it was used: no later call of this process can reach it.
std::string whyLost(const Failure& failure);

/// Bytes of the GPU, or of the slice of it that the process has.
struct GpuMemory {
  std::int64_t free = 0;
  std::int64_t total = 0;
};

/// "17.9 of 18.0 GiB".
std::string memoryText(const GpuMemory& memory);

/// Whether LibTorch's message tells of the GPU's memory being full, whichever library noticed.
bool isGpuOutOfMemory(std::string_view message);

/// `what` begins the sentence: "Running the prompt". `message` is LibTorch's, which names what was needed.
std::string outOfGpuMemory(std::string_view what, std::string_view message, const GpuMemory& memory);

}  // namespace core::cuda
