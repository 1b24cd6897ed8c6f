// A safetensors file: its header, then every tensor that is read from it.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/whole_store.h"

namespace {

using core::checkpoint::SafetensorsFile;

/// The tensors lie one behind the other, up to the file's end.
void requireCover(const SafetensorsFile& file) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::uint64_t bytes = 0;
  for (const auto& [name, entry] : file.entries()) {
    fuzz::require(entry.begin <= entry.end && entry.end <= file.file().size(), "a tensor lies within the file");
    ranges.emplace_back(entry.begin, entry.end);
    bytes += entry.end - entry.begin;
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i)
    fuzz::require(ranges[i - 1].second == ranges[i].first, "the next tensor begins where one ends");
  if (ranges.empty()) return;
  fuzz::require(ranges.back().second == file.file().size(), "the last tensor ends with the file");
  fuzz::require(ranges.front().first + bytes == file.file().size(), "the tensors are the rest of the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  try {
    SafetensorsFile file(memory.open(fuzz::textOf(data, size)));
    requireCover(file);
    fuzz::readAll(*core::checkpoint::makeStore(std::move(file)));
  } catch (const core::Error&) {
  }
  return 0;
}
