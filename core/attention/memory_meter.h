// How much memory a piece of work holds at once.
#pragma once

#include <cstdint>
#include <functional>

#include "core/attention_kernel.h"

namespace core::attention {

/// The most bytes that `work` held at once beyond what was there before it: what LibTorch's allocators gave out,
/// results included, inputs not. On the CPU these are the allocations of the calling thread: LibTorch's kernels
/// allocate there and not in the threads that share their loops. On CUDA they are those of the caching allocator,
/// before it rounds up. Errors: those of `work`.
std::int64_t peakBytes(Device device, const std::function<void()>& work);

}  // namespace core::attention
