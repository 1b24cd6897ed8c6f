#include "core/checkpoint/gguf_rows.h"

#include <cstring>
#include <memory>

namespace core::checkpoint::gguf {

void pairsToHalves(Tensor& tensor, std::int64_t firstRow, std::int64_t heads, std::int64_t headSize) {
  const std::size_t bytes = static_cast<std::size_t>(tensor.elements()) * itemSize(tensor.type);
  const std::size_t rowBytes = bytes / static_cast<std::size_t>(tensor.shape.front());
  const std::shared_ptr<std::byte[]> turned = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::memcpy(turned.get(), tensor.data.get(), bytes);
  const auto row = [&](std::int64_t number) { return static_cast<std::size_t>(number) * rowBytes; };
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t first = firstRow + head * headSize;
    for (std::int64_t i = 0; i < headSize; ++i) {
      const std::int64_t from = i < headSize / 2 ? 2 * i : 2 * (i - headSize / 2) + 1;
      std::memcpy(turned.get() + row(first + i), tensor.data.get() + row(first + from), rowBytes);
    }
  }
  tensor.data = turned;
}

}  // namespace core::checkpoint::gguf
