// The element types of GGUF tensors, and what the quantized ones stand for.
// Source: ggml, ggml.h (ids), ggml-common.h (blocks), docs/gguf.md; equal to gguf-py 0.19's dequantization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint {

struct GgufType {
  std::uint32_t id;
  std::string_view name;        ///< "Q4_K"
  std::uint64_t blockElements;  ///< numbers in a block; 1 for plain types
  std::uint64_t blockBytes;
  std::optional<DType> plain = std::nullopt;  ///< what a plain type is
  /// Writes the numbers of one block; null where the type is plain or not read.
  void (*widen)(const std::byte* block, float* numbers) = nullptr;

  bool isRead() const { return widen != nullptr || (plain && isFloat(*plain)); }
};

/// Null for an id that is unknown, or that ggml has given up.
const GgufType* ggufType(std::uint32_t id);

/// "F32, F16, BF16, Q4_0 ...": those that are read.
std::string ggufTypesRead();

/// The numbers of whole blocks, exactly as ggml defines them, in float32.
/// Shape: bytes of n blocks, n * blockElements numbers. The type has widen.
void widen(const GgufType& type, std::span<const std::byte> blocks, std::span<float> numbers);

}  // namespace core::checkpoint
