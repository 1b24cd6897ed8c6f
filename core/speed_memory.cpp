#include "core/speed_memory.h"

#include <ATen/Parallel.h>

#include <algorithm>

#include "core/attention/manual_attention.h"
#include "core/device.h"
#include "core/free_memory.h"
#include "core/number_text.h"

namespace core {

namespace {

constexpr std::int64_t kFloatBytes = 4;

/// Of a thread, for a block of scores and its output. Source: LibTorch's FlashAttentionKernel.cpp, 256 x 512 at most.
constexpr std::int64_t kFlashBlock = std::int64_t{2} << 20;

/// The blocks of rows of the manual path. Source: attention::ManualAttention.
std::int64_t manualWorkspace(Device device, const AttentionShape& shape) {
  if (device == Device::Cpu) return attention::manualWorkspaceBytes(shape.T);
  constexpr std::int64_t kStages = 4;
  return kStages *
         std::max(attention::kBlockBytes, attention::kLeastBlockRows * shape.B * shape.H * shape.T * kFloatBytes);
}

}  // namespace

std::int64_t inputBytes(const AttentionShape& shape) {
  return (shape.H + 2 * shape.Hkv) * shape.B * shape.T * shape.D * bytesOf(shape.type);
}

std::int64_t kernelBytes(Kernel kernel, Device device, const AttentionShape& shape) {
  const std::int64_t element = bytesOf(shape.type);
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

std::optional<std::string> overBudget(std::int64_t needed, std::int64_t budget) {
  if (needed <= budget) return std::nullopt;
  return "It needs " + bytesText(needed) + ", and the budget is " + bytesText(budget) + ".";
}

}  // namespace core
