// What a measurement was made on and with.
#pragma once

#include <string>

#include "core/attention_kernel.h"

namespace core {

struct MachineFacts {
  std::string processor;  ///< "AMD EPYC 7763 64-Core Processor", as /proc/cpuinfo says it
  int threads = 1;        ///< intra-op threads of LibTorch's CPU kernels
  std::string torch;      ///< "2.15.0"
  std::string build;      ///< of Headscope: "Release, g++ 12.2.0"
  std::string device;     ///< "CPU", or the GPU by its name
};

MachineFacts machineFacts(Device device);

/// From now on LibTorch's CPU kernels of this process use so many threads.
void useThreads(int threads);

}  // namespace core
