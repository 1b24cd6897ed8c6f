// Source: LibTorch's checks in sdp_utils.cpp, flash_attn/flash_api.cpp and attention.cu (2.11 to 2.15), of what its
// kernels take when they are called directly: without the padding that scaled_dot_product_attention adds.
#include "core/attention/kernel_rules.h"

#include <algorithm>
#include <array>

namespace core::attention {

namespace {

using cuda::ComputeCapability;

struct Rule {
  Kernel kernel;
  bool onCpu;
  bool halfTypesOnly;           ///< fp16 and bf16
  std::int64_t largestHead;     ///< 0: no limit
  std::int64_t alignmentBytes;  ///< a head's row is a multiple of this
  ComputeCapability least;
};

/// On CUDA; on the CPU a kernel takes every type and head size, or is not there.
constexpr std::array kRules{
    Rule{Kernel::Manual, true, false, 0, 1, {}},
    Rule{Kernel::NanoGptLines, true, false, 0, 1, {}},
    Rule{Kernel::Flash, true, true, 256, 16, {8, 0}},
    Rule{Kernel::Cudnn, false, true, 256, 16, {8, 0}},
    Rule{Kernel::MemoryEfficient, false, false, 0, 16, {5, 0}},
    Rule{Kernel::Math, true, false, 0, 1, {}},
};

std::string text(std::int64_t number) { return std::to_string(number); }

std::string text(ComputeCapability capability) { return text(capability.major) + "." + text(capability.minor); }

std::optional<std::string> impossible(const AttentionShape& shape) {
  if (std::min({shape.B, shape.H, shape.Hkv, shape.T, shape.D}) < 1) {
    return "Attention needs at least 1 of each: B = " + text(shape.B) + ", H = " + text(shape.H) +
           ", Hkv = " + text(shape.Hkv) + ", T = " + text(shape.T) + ", D = " + text(shape.D) + ".";
  }
  if (shape.H % shape.Hkv != 0) {
    return text(shape.H) + " query heads can't share " + text(shape.Hkv) +
           " key/value heads evenly. Choose H as a multiple of Hkv.";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> shapeRefusal(Kernel kernel, Device device, const AttentionShape& shape,
                                        ComputeCapability capability) {
  if (const auto reason = impossible(shape)) return reason;
  const Rule& rule = *std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) { return r.kernel == kernel; });
  const std::string name = kernelName(kernel, device);
  if (device == Device::Cpu) {
    if (rule.onCpu) return std::nullopt;
    return name + " has only a CUDA kernel. On the CPU choose " + word(Kernel::Flash) + ", " + word(Kernel::Math) +
           " or " + word(Kernel::Manual) + ".";
  }

  if (capability < rule.least) {
    return name + " needs a GPU of compute capability " + text(rule.least) + " or newer; this one has " +
           text(capability) + ".";
  }
  if (rule.halfTypesOnly && shape.type == DType::Float32) {
    return name + " takes fp16 and bf16 only, not fp32. Choose one of these, or " + word(Kernel::MemoryEfficient) + ".";
  }
  if (rule.largestHead != 0 && shape.D > rule.largestHead) {
    return name + " takes heads of at most " + text(rule.largestHead) + " numbers; these have " + text(shape.D) + ".";
  }
  if (const std::int64_t step = std::max<std::int64_t>(rule.alignmentBytes / bytesOf(shape.type), 1);
      shape.D % step != 0) {
    return name + " takes " + word(shape.type) + " heads of a multiple of " + text(step) + " numbers; these have " +
           text(shape.D) + ".";
  }
  return std::nullopt;
}

}  // namespace core::attention
