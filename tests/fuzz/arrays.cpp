// An .npy, .npz or safetensors file: its headers, then every array that is read from it, as numbers and as texts.
#include "core/arrays/array_file.h"

#include <memory>
#include <vector>

#include "core/arrays/array_values.h"
#include "core/arrays/float_array.h"
#include "core/error.h"
#include "tests/fuzz/fuzz.h"

namespace {

using core::arrays::ArrayFile;
using core::arrays::StoredArray;

constexpr std::uint64_t kMost = 100'000;
constexpr std::int64_t kFreeBytes = std::int64_t{64} << 20;

/// What one array of a file holds, or that it can't be read as that.
template <class Read>
void readOrRefuse(Read read) {
  try {
    read();
  } catch (const core::Error&) {
  }
}

void readAsFloats(const std::shared_ptr<const ArrayFile>& file, const StoredArray& array) {
  std::uint64_t heard = 0;
  const std::uint64_t row = array.shape.empty() ? 1 : static_cast<std::uint64_t>(array.shape.back());
  const auto values =
      core::arrays::openFloats(file, array, row, kFreeBytes, {}, [&](std::uint64_t first, std::span<const float> part) {
        fuzz::require(first == heard, "pieces come in their order");
        fuzz::require(row == 0 || part.size() % row == 0, "rows come whole");
        heard += part.size();
      });
  fuzz::require(values->size() == array.elements && heard == array.elements, "every element is heard once");
  std::vector<float> all(values->size());
  values->read(0, all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  readOrRefuse([&] {
    const auto file = std::make_shared<const ArrayFile>(memory.open(fuzz::textOf(data, size)));
    fuzz::require(!file->listing().empty() || file->kind() == ArrayFile::Kind::Safetensors, "arrays are listed");
    for (const StoredArray& array : file->arrays()) {
      readOrRefuse([&] { readAsFloats(file, array); });
      readOrRefuse(
          [&] { fuzz::require(readIntegers(*file, array, kMost).size() == array.elements, "every number is read"); });
      readOrRefuse(
          [&] { fuzz::require(readTexts(*file, array, kMost).size() == array.elements, "every text is read"); });
    }
  });
  return 0;
}
