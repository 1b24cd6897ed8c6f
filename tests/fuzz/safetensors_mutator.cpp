// A changed header gets its length again: what is behind it keeps its size, so far as there are so many bytes.
#include <algorithm>
#include <string>

#include "tests/fuzz/mutation.h"

namespace {

constexpr std::size_t kLengthBytes = 8;

std::size_t lengthIn(const std::uint8_t* data, std::size_t size) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes && i < size; ++i) length |= std::size_t{data[i]} << (8 * i);
  return length;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  const std::size_t length = lengthIn(data, size);
  const bool isWhole = size >= kLengthBytes && length <= size - kLengthBytes;
  if (seed % 2 == 0 || !isWhole) return LLVMFuzzerMutate(data, size, most);
  // The header alone, so that the tensors behind it don't move into it.
  const std::size_t tensors = size - kLengthBytes - length;
  const std::string behind(data + kLengthBytes + length, data + size);
  const std::size_t changed = LLVMFuzzerMutate(data + kLengthBytes, length, most - kLengthBytes - tensors);
  fuzz::put(data, size, 0, std::uint64_t{changed});
  std::copy(behind.begin(), behind.end(), data + kLengthBytes + changed);
  return kLengthBytes + changed + tensors;
}
