// A torch file: the zip's directory, the archive, its pickle, and every tensor that is read from it.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/checkpoint/stores.h"
#include "core/checkpoint/torch_archive.h"
#include "core/checkpoint/torch_file.h"
#include "core/checkpoint/zip_directory.h"
#include "core/error.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/whole_store.h"

namespace {

using core::checkpoint::TorchArchive;
using core::checkpoint::TorchFile;
using core::checkpoint::ZipDirectory;

/// Records lie within the members' part of the file, and no two share a byte.
void requireApart(const TorchArchive& archive, const ZipDirectory& directory) {
  fuzz::require(directory.offset <= archive.file().size(), "the directory begins within the file");
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const auto& [name, record] : archive.records()) {
    fuzz::require(name.find("../") == std::string::npos && name.find('\0') == std::string::npos, "names stay inside");
    fuzz::require(record.offset <= directory.offset && record.size <= directory.offset - record.offset,
                  "a record ends before the directory");
    if (record.size > 0) ranges.emplace_back(record.offset, record.offset + record.size);
    fuzz::require(archive.read(name, archive.file().size()).size() == record.size, "a record is read whole");
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i)
    fuzz::require(ranges[i - 1].second <= ranges[i].first, "records share no byte");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  try {
    core::checkpoint::File file = memory.open(fuzz::textOf(data, size));
    const ZipDirectory directory = readZipDirectory(file);
    requireApart(TorchArchive(file, directory), directory);
    const TorchFile torch(std::move(file), directory);
    fuzz::readAll(*makeStore(torch, torch.root(), "the root"));
  } catch (const core::Error&) {
  }
  return 0;
}
