// Arithmetic for numbers that come from files: an answer that does not fit is no answer, never a wrapped one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace core::checkpoint {

inline std::optional<std::uint64_t> checkedAdd(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<std::uint64_t> checkedMultiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// Whether [offset, offset + length) lies within [0, size).
inline bool rangeFits(std::uint64_t size, std::uint64_t offset, std::uint64_t length) {
  return offset <= size && length <= size - offset;
}

/// The product of the sizes; nothing for a negative size or a product beyond 2^64.
std::optional<std::uint64_t> elementCount(std::span<const std::int64_t> sizes);

/// Whether every element of a strided view lies within its storage. Offset and strides count elements.
/// Negative sizes, strides and offsets don't fit; a view without elements does when its offset is in the storage.
bool viewFits(std::uint64_t storageBytes, std::int64_t offset, std::span<const std::int64_t> sizes,
              std::span<const std::int64_t> strides, std::size_t itemSize);

}  // namespace core::checkpoint
