// What a way of attention takes of memory, told before it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention_kernel.h"

namespace core {

/// Bytes of q, k and v.
std::int64_t inputBytes(const AttentionShape& shape);

/// Bytes of q, k, v and of what the kernel holds at once beyond them, output included.
std::int64_t kernelBytes(Kernel kernel, Device device, const AttentionShape& shape);

/// Bytes that the device can still give. On CUDA: of its own memory.
std::int64_t freeBytes(Device device);

/// "needs 51.5 GB, the budget is 8.0 GB" as a sentence; nullopt when it fits.
std::optional<std::string> overBudget(std::int64_t needed, std::int64_t budget);

}  // namespace core
