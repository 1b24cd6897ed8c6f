#include "core/cuda/failures.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace core::cuda {

namespace {

using Explanation = std::string (*)(const Failure&);

/// " (cudaErrorNoDevice: no CUDA-capable device is detected)"
std::string runtimeSays(const Failure& failure) { return " (" + failure.name + ": " + failure.text + ")"; }

std::string driver(const Failure& failure) {
  const std::string runtime = versionText(failure.runtime);
  if (failure.driver == 0) {
    return "There is no NVIDIA driver on this machine" + runtimeSays(failure) +
           ". To use a GPU, install a driver for CUDA " + runtime + " or newer.";
  }
  return "The NVIDIA driver is too old: it is made for CUDA " + versionText(failure.driver) +
         ", and this build runs on CUDA " + runtime + runtimeSays(failure) + ". Install a newer driver.";
}

std::string stub(const Failure& failure) {
  return "The library found as NVIDIA's driver is the toolkit's stand-in for linking" + runtimeSays(failure) +
         ". Take the toolkit's folder of stubs out of LD_LIBRARY_PATH.";
}

std::string noDevice(const Failure& failure) {
  const std::string found = "NVIDIA's driver finds no GPU" + runtimeSays(failure);
  if (!failure.visibleDevices) return found + ".";
  return found + ". CUDA_VISIBLE_DEVICES is \"" + *failure.visibleDevices +
         "\", which may hide it; without that variable every GPU is seen.";
}

std::string noKernelImage(const Failure& failure) {
  return "This build holds no code for this GPU" + runtimeSays(failure) +
         ". It is made for compute capability 8.0 and newer; a newer GPU than the build needs a newer driver or build.";
}

std::string memoryFull(const Failure& failure) {
  return "The GPU has too little free memory to start" + runtimeSays(failure) +
         ". Close other programs that use it, and start Headscope again.";
}

std::string taken(const Failure& failure) {
  return "The GPU is taken by other programs" + runtimeSays(failure) + ". Close them, and start Headscope again.";
}

std::string notReady(const Failure& failure) {
  return "The GPU's driver does not work" + runtimeSays(failure) + ". Starting the machine again may help.";
}

struct Row {
  int code;  ///< of cudaError_t, driver_types.h
  Explanation explain;
};

constexpr std::array kAtStart{
    Row{2, memoryFull},       // MemoryAllocation
    Row{3, notReady},         // InitializationError
    Row{34, stub},            // StubLibrary
    Row{35, driver},          // InsufficientDriver
    Row{36, driver},          // CallRequiresNewerDriver
    Row{46, taken},           // DevicesUnavailable
    Row{98, noKernelImage},   // InvalidDeviceFunction
    Row{100, noDevice},       // NoDevice
    Row{101, noDevice},       // InvalidDevice
    Row{127, notReady},       // StartupFailure
    Row{200, noKernelImage},  // InvalidKernelImage
    Row{209, noKernelImage},  // NoKernelImageForDevice
    Row{214, whyLost},        // ECCUncorrectable
    Row{216, taken},          // DeviceAlreadyInUse
    Row{218, noKernelImage},  // InvalidPtx
    Row{220, whyLost},        // NvlinkUncorrectable
    Row{221, noKernelImage},  // JitCompilerNotFound
    Row{222, driver},         // UnsupportedPtxVersion
    Row{223, noKernelImage},  // JitCompilationDisabled
    Row{226, whyLost},        // Contained
    Row{304, notReady},       // OperatingSystem
    Row{700, whyLost},        // IllegalAddress
    Row{702, whyLost},        // LaunchTimeout
    Row{709, whyLost},        // ContextIsDestroyed
    Row{710, whyLost},        // Assert
    Row{714, whyLost},        // HardwareStackError
    Row{715, whyLost},        // IllegalInstruction
    Row{716, whyLost},        // MisalignedAddress
    Row{717, whyLost},        // InvalidAddressSpace
    Row{718, whyLost},        // InvalidPc
    Row{719, whyLost},        // LaunchFailure
    Row{721, whyLost},        // TensorMemoryLeak
    Row{802, notReady},       // SystemNotReady
    Row{803, notReady},       // SystemDriverMismatch
    Row{804, driver},         // CompatNotSupportedOnDevice
    Row{805, notReady},       // MpsConnectionFailed
    Row{808, taken},          // MpsMaxClientsReached
    Row{809, taken},          // MpsMaxConnectionsReached
    Row{810, whyLost},        // MpsClientTerminated
};

}  // namespace

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string whyUnusable(const Failure& failure) {
  const auto row = std::find_if(kAtStart.begin(), kAtStart.end(), [&](const Row& r) { return r.code == failure.code; });
  if (row != kAtStart.end()) return row->explain(failure);
  return "CUDA does not start on this machine" + runtimeSays(failure) + ".";
}

std::string whyLost(const Failure& failure) {
  return "The GPU is unusable until Headscope is started again" + runtimeSays(failure) +
         ". The CPU computes until then.";
}

std::string memoryText(const GpuMemory& memory) {
  constexpr double kGiB = 1 << 30;
  char text[64];
  std::snprintf(text, sizeof text, "%.1f of %.1f GiB", static_cast<double>(memory.free) / kGiB,
                static_cast<double>(memory.total) / kGiB);
  return text;
}

bool isGpuOutOfMemory(std::string_view message) {
  constexpr std::array<std::string_view, 4> kMarks{"CUDA out of memory", "CUDA error: out of memory",
                                                   "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return message.find(mark) != std::string_view::npos; });
}

std::string outOfGpuMemory(std::string_view what, std::string_view message, const GpuMemory& memory) {
  // "CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of ..."
  constexpr std::string_view kBefore = "Tried to allocate ";
  std::string needed;
  if (const std::size_t place = message.find(kBefore); place != std::string_view::npos) {
    const std::string_view rest = message.substr(place + kBefore.size());
    const std::size_t unit = rest.find(' ');
    const std::size_t end = unit == std::string_view::npos ? unit : rest.find_first_of(". ", unit + 1);
    needed = ": a buffer of " + std::string(rest.substr(0, end)) + " did not fit";
  }
  return std::string(what) + " needs more memory than the GPU has free" + needed + "; without this run " +
         memoryText(memory) + " are free. Use a shorter prompt or fewer layers, or the CPU.";
}

}  // namespace core::cuda
