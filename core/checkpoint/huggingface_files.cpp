#include "core/checkpoint/huggingface_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/error.h"

namespace core::checkpoint::huggingface {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kIndexNames[] = {kWeightNames[1], kWeightNames[3]};

/// Whether a name ends as a part's does: "model-00001-of-00002.safetensors".
bool isNamedAsPart(const fs::path& file) {
  static const std::regex pattern(R"(.*-\d+-of-\d+)");
  return std::regex_match(file.stem().string(), pattern);
}

bool names(const fs::path& index, const std::string& part) {
  const Json map = readWeightMap(index);
  return map.is_object() && std::any_of(map.begin(), map.end(), [&](const Json& file) { return file == part; });
}

/// Errors: filesystem_error, Io where the folder can't be read.
std::vector<fs::path> safetensorsIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

[[noreturn]] void throwNoIndex(const fs::path& part) {
  throw Error(ErrorKind::NotFound,
              fmt::format("{}: by its name it is one part of a model, and no {} beside it names it. Copy the index and "
                          "all parts into one folder.",
                          part.string(), fmt::join(kIndexNames, " or ")));
}

}  // namespace

bool has(const fs::path& folder, std::string_view name) {
  std::error_code ignored;
  return fs::exists(folder / name, ignored);
}

fs::path weightsIn(const fs::path& folder) {
  for (const std::string_view name : kWeightNames) {
    if (has(folder, name)) return folder / name;
  }
  const std::vector<fs::path> others = safetensorsIn(folder);
  if (others.size() == 1) return others.front();
  if (!others.empty() && std::all_of(others.begin(), others.end(), isNamedAsPart)) throwNoIndex(others.front());
  std::vector<std::string> found;
  for (const fs::path& file : others) found.push_back(file.filename().string());
  throw Error(
      ErrorKind::NotFound,
      fmt::format("{}: the folder has no weights: neither {}{}. {}", folder.string(), fmt::join(kWeightNames, ", "),
                  found.empty() ? std::string(" nor another .safetensors file")
                                : fmt::format("; several others are there: {}", listed(found)),
                  found.empty() ? "Copy them there." : "Open one of these."));
}

std::optional<fs::path> indexOf(const fs::path& file) {
  const std::string name = file.filename().string();
  for (const std::string_view index : kIndexNames) {
    if (has(file.parent_path(), index) && names(file.parent_path() / index, name)) return file.parent_path() / index;
  }
  if (isNamedAsPart(file)) throwNoIndex(file);
  return std::nullopt;
}

std::string adapterTensor(const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(), [](const std::string& name) {
    return name.find(".lora_A") != std::string::npos || name.find(".lora_B") != std::string::npos ||
           name.find(".lora_embedding_") != std::string::npos;
  });
  return found == names.end() ? std::string() : *found;
}

}  // namespace core::checkpoint::huggingface
