#include "core/attention_kernel.h"

#include "core/attention/kernel_rules.h"
#include "core/device.h"

namespace core {

const char* word(Kernel kernel) {
  switch (kernel) {
    case Kernel::Manual: return "manual";
    case Kernel::NanoGptLines: return "nanogpt";
    case Kernel::Flash: return "flash";
    case Kernel::Cudnn: return "cudnn";
    case Kernel::MemoryEfficient: return "memory-efficient";
    case Kernel::Math: return "math";
  }
  return "";
}

std::string kernelName(Kernel kernel, Device device) {
  switch (kernel) {
    case Kernel::Manual: return "the manual path";
    case Kernel::NanoGptLines: return "nanoGPT's lines in LibTorch";
    case Kernel::Flash: return device == Device::Cuda ? "FlashAttention" : "LibTorch's flash kernel for the CPU";
    case Kernel::Cudnn: return "cuDNN's attention";
    case Kernel::MemoryEfficient: return "memory-efficient attention";
    case Kernel::Math: return "LibTorch's matmul and softmax";
  }
  return "";
}

const char* word(Device device) { return device == Device::Cuda ? "cuda" : "cpu"; }

const char* word(DType type) {
  switch (type) {
    case DType::Float32: return "fp32";
    case DType::Float16: return "fp16";
    case DType::BFloat16: return "bf16";
  }
  return "";
}

std::optional<std::string> refusal(Kernel kernel, Device device, const AttentionShape& shape) {
  if (device == Device::Cpu) return attention::shapeRefusal(kernel, device, shape, {});
  if (const auto reason = whyNoCuda()) return reason;
  return attention::shapeRefusal(kernel, device, shape, cuda::computeCapability());
}

}  // namespace core
