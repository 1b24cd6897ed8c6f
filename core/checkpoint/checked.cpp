#include "core/checkpoint/checked.h"

namespace core::checkpoint {

std::optional<std::uint64_t> elementCount(std::span<const std::int64_t> sizes) {
  bool empty = false;
  for (const std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
  }
  if (empty) return 0;  // (2^40, 2^40, 0) holds nothing, in whatever order it is multiplied
  std::uint64_t count = 1;
  for (const std::int64_t size : sizes) {
    const auto product = checkedMultiply(count, static_cast<std::uint64_t>(size));
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

bool viewFits(std::uint64_t storageBytes, std::int64_t offset, std::span<const std::int64_t> sizes,
              std::span<const std::int64_t> strides, std::size_t itemSize) {
  if (offset < 0 || sizes.size() != strides.size() || itemSize == 0) return false;
  const std::uint64_t items = storageBytes / itemSize;
  const auto count = elementCount(sizes);
  if (!count) return false;
  for (const std::int64_t stride : strides) {
    if (stride < 0) return false;
  }
  if (*count == 0) return static_cast<std::uint64_t>(offset) <= items;
  std::uint64_t last = static_cast<std::uint64_t>(offset);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto reach =
        checkedMultiply(static_cast<std::uint64_t>(sizes[i] - 1), static_cast<std::uint64_t>(strides[i]));
    const auto next = reach ? checkedAdd(last, *reach) : std::nullopt;
    if (!next) return false;
    last = *next;
  }
  return last < items;
}

}  // namespace core::checkpoint
