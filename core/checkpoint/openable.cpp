#include "core/openable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/checkpoint/format.h"
#include "core/checkpoint/location.h"
#include "core/checkpoint/nanochat_format.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core {

namespace fs = std::filesystem;

namespace {

using namespace checkpoint;

/// Endings of model files under names of their own.
constexpr std::string_view kEndings[] = {".pt", ".pth", ".safetensors", ".ckpt", ".gguf"};

bool isModelFile(const fs::path& path) {
  const std::string extension = path.extension().string();
  return std::find(std::begin(kEndings), std::end(kEndings), extension) != std::end(kEndings);
}

/// What is in a folder that no format knows. Errors: NoPermission.
std::vector<Openable> modelFilesIn(const fs::path& folder) {
  std::vector<Openable> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error) {
    throw Error(ErrorKind::NoPermission, fmt::format("{}: the folder can't be listed: {}. Choose a checkpoint file.",
                                                     folder.string(), error.message()));
  }
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (!isModelFile(entry->path())) continue;
    files.push_back({entry->path(), entry->path().filename().string(), std::nullopt});
  }
  std::sort(files.begin(), files.end(), [](const Openable& a, const Openable& b) { return a.label < b.label; });
  return files;
}

}  // namespace

std::vector<Openable> openable(std::string_view location) {
  const fs::path path = resolve(location);
  std::error_code error;
  if (!fs::is_directory(path, error)) return {{path, path.filename().string(), std::nullopt}};
  for (const Format& format : formats()) {
    std::vector<Openable> offers = format.inFolder(path);
    if (!offers.empty()) return offers;
  }
  std::vector<Openable> files = modelFilesIn(path);
  if (!files.empty()) return files;
  throw Error(ErrorKind::NotAFile,
              fmt::format("{}: it is a folder, and no checkpoint is in it: neither {} nor another model file. Choose a "
                          "checkpoint file.",
                          path.string(), allLookedFor()));
}

std::optional<fs::path> commonSet(const std::vector<fs::path>& paths) {
  if (paths.size() == 1) return paths.front();
  if (paths.empty()) return std::nullopt;
  const fs::path folder = paths.front().parent_path();
  if (std::any_of(paths.begin(), paths.end(), [&](const fs::path& path) { return path.parent_path() != folder; }))
    return std::nullopt;
  std::vector<Openable> offers;
  for (const Format& format : formats()) {
    if (offers.empty()) offers = format.inFolder(folder);
  }
  std::vector<fs::path> among;
  for (const Openable& offer : offers) {
    if (std::find(paths.begin(), paths.end(), offer.path) != paths.end()) among.push_back(offer.path);
  }
  if (among.size() == 1) return among.front();
  // Parts of the only set there, such as shards or a tokenizer, but not a model of its own.
  const auto isModel = [](const fs::path& path) { return path.extension() != ".safetensors" && isModelFile(path); };
  const bool areParts = offers.size() == 1 && std::none_of(paths.begin(), paths.end(), isModel);
  return areParts ? std::optional(offers.front().path) : std::nullopt;
}

std::optional<fs::path> modelOfOptimizer(std::string_view location) {
  const fs::path path = resolve(location);
  const std::string model = nanochat::modelNameOf(path);
  std::error_code ignored;
  if (!fs::is_regular_file(path.parent_path() / model, ignored)) return std::nullopt;  // nor is the folder itself
  return path.parent_path() / model;
}

}  // namespace core
