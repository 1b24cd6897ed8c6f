#include "core/speed_memory.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdio>

#include "core/attention/manual_attention.h"
#include "core/device.h"
#include "core/free_memory.h"

namespace core {

namespace {

constexpr std::int64_t kFloatBytes = 4;

/// Of a thread, for a block of scores and its output. Source: LibTorch's FlashAttentionKernel.cpp, 256 x 512 at most.
constexpr std::int64_t kFlashBlock = std::int64_t{2} << 20;

std::int64_t elementBytes(DType type) { return type == DType::Float32 ? kFloatBytes : 2; }

/// The blocks of rows of the manual path. Source: attention::ManualAttention.
std::int64_t manualWorkspace(Device device, const AttentionShape& shape) {
  constexpr std::int64_t kCpuStages = 2, kCudaStages = 4;
  const std::int64_t heads = device == Device::Cpu ? 1 : shape.B * shape.H;
  const std::int64_t stage =
      std::max(attention::kBlockBytes, attention::kLeastBlockRows * heads * shape.T * kFloatBytes);
  return device == Device::Cpu ? at::get_num_threads() * kCpuStages * stage : kCudaStages * stage;
}

}  // namespace

std::int64_t inputBytes(const AttentionShape& shape) {
  return (shape.H + 2 * shape.Hkv) * shape.B * shape.T * shape.D * elementBytes(shape.type);
}

std::int64_t kernelBytes(Kernel kernel, Device device, const AttentionShape& shape) {
  const std::int64_t element = elementBytes(shape.type);
  const std::int64_t vectors = shape.B * shape.T * shape.D;  // of one head
  const std::int64_t queries = shape.H * vectors;
  const std::int64_t inputs = queries + 2 * shape.Hkv * vectors;  // elements
  const std::int64_t lse = shape.B * shape.H * shape.T * kFloatBytes;
  const std::int64_t square = shape.T * shape.T;
  const std::int64_t cells = shape.B * shape.H * square;
  const std::int64_t linear = (inputs + queries) * element + lse;
  const std::int64_t repeated = shape.H == shape.Hkv ? 0 : 2 * queries;  // k and v for every query head, elements
  const std::int64_t widened = shape.type == DType::Float32 ? 0 : (inputs + queries) * kFloatBytes;

  switch (kernel) {
    case Kernel::Manual: return linear + widened + manualWorkspace(device, shape);
    case Kernel::NanoGptLines:
      // A stage and the one before; the buffer and what it hides.
      return linear + repeated * element + 2 * cells * element + square * (kFloatBytes + 1);
    case Kernel::Math:  // two stages, whether each cell is -infinity, and the stored mask
      return linear + repeated * kFloatBytes + widened + cells * (2 * kFloatBytes + 1) + square * kFloatBytes;
    case Kernel::Flash:
      if (device == Device::Cpu) return 2 * linear + at::get_num_threads() * kFlashBlock;  // repacked, and put together
      return linear + repeated * element;
    case Kernel::Cudnn:
    case Kernel::MemoryEfficient: return linear + repeated * element;
  }
  return linear;
}

std::int64_t freeBytes(Device device) {
  if (device == Device::Cpu) return freeMemory();
  const auto gpu = gpuFacts();
  return gpu ? gpu->freeBytes : 0;
}

std::string bytesText(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 999.5; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text,
                unit == 0 || value >= 99.95 ? "%.0f %s"
                : value >= 9.995            ? "%.1f %s"
                                            : "%.2f %s",
                value, kUnits[unit]);
  return text;
}

std::optional<std::string> overBudget(std::int64_t needed, std::int64_t budget) {
  if (needed <= budget) return std::nullopt;
  return "It needs " + bytesText(needed) + ", and the budget is " + bytesText(budget) + ".";
}

}  // namespace core
