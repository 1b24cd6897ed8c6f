// A kernel of our own on the GPU, to know that this build has code for it.
#pragma once

namespace core::cuda {

/// Launches the kernel on the current device and checks what it wrote. Returns a cudaError_t: 0, or what failed.
int launchProbe();

}  // namespace core::cuda
