// For the mutators of targets whose files say their own sizes: libFuzzer's random changes, and then, in every second
// input, sizes that are right again. Without them nearly every input would be refused at its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

namespace fuzz {

/// Writes the number at bytes[at], little-endian. Nothing where it would not fit.
template <class T>
void put(std::uint8_t* data, std::size_t size, std::size_t at, T number) {
  if (at > size || size - at < sizeof(T)) return;
  for (std::size_t i = 0; i < sizeof(T); ++i) data[at + i] = static_cast<std::uint8_t>(number >> (8 * i));
}

}  // namespace fuzz
