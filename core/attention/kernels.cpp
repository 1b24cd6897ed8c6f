#include "core/attention/kernels.h"

#include <array>

#include "core/attention/cuda_kernels.h"
#include "core/attention/door.h"
#include "core/attention/manual_attention.h"
#include "core/attention/math_kernel.h"
#include "core/attention/nanogpt_lines.h"
#include "core/cuda/gpu.h"

namespace core::attention {

namespace {

using Function = AttentionOutput (*)(const AttentionInput&);

/// What runs where; a device without the kernel has none.
struct Row {
  Kernel kernel;
  Function cpu;
  Function cuda;
};

constexpr std::array kFunctions{
    Row{Kernel::Manual, manualKernel, manualKernel},
    Row{Kernel::NanoGptLines, nanoGptLines, nanoGptLines},
    Row{Kernel::Flash, cpuFlash, cudaFlash},
    Row{Kernel::Cudnn, nullptr, cudaCudnn},
    Row{Kernel::MemoryEfficient, nullptr, cudaMemoryEfficient},
    Row{Kernel::Math, mathKernel, mathKernel},
};

Function functionOf(Kernel kernel, Device device) {
  for (const Row& row : kFunctions) {
    if (row.kernel == kernel) return device == Device::Cuda ? row.cuda : row.cpu;
  }
  return nullptr;
}

DType typeOf(const at::Tensor& q) {
  switch (q.scalar_type()) {
    case at::kFloat: return DType::Float32;
    case at::kHalf: return DType::Float16;
    case at::kBFloat16: return DType::BFloat16;
    default:
      throw Error(ErrorKind::Unsupported, std::string("Attention is computed in fp32, fp16 or bf16, not in ") +
                                              at::toString(q.scalar_type()) + ".");
  }
}

AttentionShape shapeOf(const AttentionInput& input) {
  return {.B = input.q.size(0),
          .H = input.q.size(1),
          .Hkv = input.k.size(1),
          .T = input.k.size(2),
          .D = input.q.size(3),
          .type = typeOf(input.q),
          .window = input.mask.window(),
          .mask = input.mask.kind()};
}

}  // namespace

AttentionOutput runKernel(Kernel kernel, const AttentionInput& input) {
  const Device device = input.q.is_cuda() ? Device::Cuda : Device::Cpu;
  if (const auto reason = refusal(kernel, device, shapeOf(input))) throw Error(ErrorKind::Unsupported, *reason);
  try {
    return functionOf(kernel, device)(input);
  } catch (const c10::Error& error) {
    // These two are not about the kernel: the door tells them.
    if (isOutOfMemory(error) || cuda::lostGpu()) throw;
    const std::string message = error.what_without_backtrace();
    throw Error(
        ErrorKind::Unsupported,
        kernelName(kernel, device) + " does not take this input. LibTorch: " + message.substr(0, message.find('\n')),
        error.what());
  }
}

}  // namespace core::attention
