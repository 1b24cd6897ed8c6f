// The ways to compute attention, by name: to choose one, and to say which one ran and why another did not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/attention_mask.h"

namespace core {

enum class Device { Cpu, Cuda };
enum class DType { Float32, Float16, BFloat16 };

enum class Kernel {
  Manual,           ///< ours: scores, mask, softmax, weights, output in blocks of rows
  NanoGptLines,     ///< the manual path as nanoGPT writes it, every stage (H, T, T) whole
  Flash,            ///< no T x T anywhere: FlashAttention on CUDA, LibTorch's flash kernel on the CPU
  Cudnn,            ///< CUDA only
  MemoryEfficient,  ///< CUDA only
  Math,             ///< LibTorch's own composition of matmul and softmax
};

/// What a run's attention goes through.
enum class AttentionPath { Manual, Flash };

/// B sequences of T tokens, H query heads on Hkv key/value heads of size D.
struct AttentionShape {
  std::int64_t B = 1;
  std::int64_t H = 1;
  std::int64_t Hkv = 1;
  std::int64_t T = 1;
  std::int64_t D = 64;
  DType type = DType::Float32;
  Window window = {};
  MaskKind mask = MaskKind::Causal;
  friend bool operator==(const AttentionShape&, const AttentionShape&) = default;

  /// 4 D operations for each visible cell: scores and weights . v, a multiplication and an addition each.
  double flop() const {
    return 4.0 * static_cast<double>(B * H * D) * static_cast<double>(AttentionMask(T, window, mask).visibleCells());
  }
};

/// "flash", for options, tables and JSON.
const char* word(Kernel kernel);
/// "LibTorch's flash kernel for the CPU".
std::string kernelName(Kernel kernel, Device device);
const char* word(Device device);  ///< "cpu", "cuda"
const char* word(DType type);     ///< "fp32", "fp16", "bf16"
constexpr std::int64_t bytesOf(DType type) { return type == DType::Float32 ? 4 : 2; }

/// Why the kernel can't take this shape on this device, as a sentence; nullopt when nothing speaks against it.
std::optional<std::string> refusal(Kernel kernel, Device device, const AttentionShape& shape);

}  // namespace core
