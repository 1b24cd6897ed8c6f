// What the linked LibTorch can compute on; for About, reports and exports.
#pragma once

#include <string>

namespace core {

struct DeviceFacts {
  std::string torch;  ///< "2.15.0"
  std::string cuda;   ///< a sentence: the devices, or why there are none
  int threads = 1;    ///< intra-op threads of the CPU kernels
};

/// Looks once at what is there; never throws, whatever the driver says.
DeviceFacts deviceFacts();

}  // namespace core
