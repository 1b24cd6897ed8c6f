#include "app/dropped_files.h"

#include <algorithm>
#include <cctype>

#include "core/openable.h"

namespace app {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool isTokenizer(const std::filesystem::path& path) {
  return lower(path.extension().string()) == ".pkl" || lower(path.filename().string()) == "tokenizer.json";
}

}  // namespace

DroppedFiles sortDropped(const std::vector<std::filesystem::path>& paths) {
  if (const auto set = core::commonSet(paths)) return {*set, {}, false};
  // A tokenizer of another name or from another place belongs to the model that came with it.
  DroppedFiles dropped;
  std::vector<std::filesystem::path> models;
  for (const std::filesystem::path& path : paths) {
    if (!isTokenizer(path))
      models.push_back(path);
    else if (dropped.tokenizer.empty())
      dropped.tokenizer = path;
    else
      dropped.leftOver = true;
  }
  if (models.empty()) return {paths.front(), {}, paths.size() > 1};
  if (const auto set = core::commonSet(models)) {
    dropped.model = *set;
  } else {
    dropped.model = models.front();
    dropped.leftOver = true;
  }
  return dropped;
}

}  // namespace app
