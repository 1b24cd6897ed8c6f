// Files dropped together: which of them is the model, which its tokenizer.
#pragma once

#include <filesystem>
#include <vector>

namespace app {

struct DroppedFiles {
  std::filesystem::path model;      ///< a file, or the folder of the set that they belong to
  std::filesystem::path tokenizer;  ///< empty: where the model keeps it
  bool leftOver = false;            ///< some of them are neither
};

/// paths: at least one. Files that belong together are one model (core::commonSet); of others the first is, with the
/// tokenizer that came with it.
DroppedFiles sortDropped(const std::vector<std::filesystem::path>& paths);

}  // namespace app
