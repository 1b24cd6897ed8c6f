#include "core/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "core/checkpoint/checked.h"
#include "core/checkpoint/format.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint {

namespace {

struct TypeFacts {
  std::size_t size;
  const char* name;
};

/// In the order of DType.
constexpr TypeFacts kTypes[] = {{4, "fp32"},  {2, "fp16"},  {2, "bf16"}, {8, "fp64"},  {8, "int64"},
                                {4, "int32"}, {2, "int16"}, {1, "int8"}, {1, "uint8"}, {1, "bool"}};

}  // namespace

std::size_t itemSize(DType type) { return kTypes[static_cast<std::size_t>(type)].size; }

bool isFloat(DType type) { return type <= DType::F64; }

std::string name(DType type) { return kTypes[static_cast<std::size_t>(type)].name; }

std::int64_t Tensor::elements() const { return static_cast<std::int64_t>(elementCount(shape).value_or(0)); }

std::filesystem::path fileToOpen(const std::filesystem::path& path) {
  const std::vector<Openable> offers = openable(path.string());
  if (offers.size() == 1) return offers.front().path;
  std::vector<std::string> labels;
  for (const Openable& offer : offers) labels.push_back(offer.label);
  throw Error(ErrorKind::NotAFile, fmt::format("{}: it is a folder with {}: {}. Choose one of them.", path.string(),
                                               counted(offers.size(), "checkpoint"), listed(labels)));
}

Checkpoint load(const std::filesystem::path& path, const LoadOptions& options, const Progress& progress) {
  try {
    Checkpoint checkpoint = loadFile(File(fileToOpen(path)), options, progress);
    std::stable_sort(checkpoint.info.report.begin(), checkpoint.info.report.end(),
                     [](const ReportLine& a, const ReportLine& b) { return a.topic < b.topic; });
    return checkpoint;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::OutOfMemory,
                fmt::format("{}: this computer has no memory left for it. Close other programs or open a smaller "
                            "model.",
                            path.string()));
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(ErrorKind::Io,
                fmt::format("{}: it can't be reached: {}. Try again.", path.string(), error.code().message()),
                error.what());
  }
}

}  // namespace core::checkpoint
