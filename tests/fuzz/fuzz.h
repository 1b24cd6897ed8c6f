// What all fuzz targets have in common. A target is one LLVMFuzzerTestOneInput: libFuzzer calls it with inputs of its
// own (scripts/fuzz), the tests call it with every file of the corpus (replay_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/checkpoint/file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A file of the process's memory. Each holds one input at a time: an open File sees those that come later.
class MemoryFile {
 public:
  MemoryFile();
  /// Errors: Truncated for no bytes, as any empty file.
  core::checkpoint::File open(std::string_view bytes) const;

 private:
  int m_descriptor;
  std::string m_path;
};

/// A claim about what a reader accepted. Its failure is a std::logic_error, which no target catches.
void require(bool claim, const char* sentence);

}  // namespace fuzz
