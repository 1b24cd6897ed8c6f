#include "core/speed_machine.h"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <fstream>

#include "core/device.h"

namespace core {

namespace {

/// Source: proc(5), "model name" of the first processor.
std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string deviceName(Device device) {
  if (device == Device::Cpu) return "CPU";
  const auto gpu = gpuFacts();
  return gpu ? gpu->name : "no CUDA device";
}

#ifdef __clang__
constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

MachineFacts machineFacts(Device device) {
  return {.processor = processorName(),
          .threads = at::get_num_threads(),
          .torch = TORCH_VERSION,
          .build = std::string(HEADSCOPE_BUILD_TYPE) + ", " + kCompiler,
          .device = deviceName(device)};
}

void useThreads(int threads) { at::set_num_threads(threads); }

}  // namespace core
