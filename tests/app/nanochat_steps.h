// A folder of nanochat in which training kept two steps.
#pragma once

#include <filesystem>

#include "tests/support/files.h"

namespace support {

/// Copies the cut of nanochat with pattern SSSL into `folder`, its step 100 again as step 20; returns the folder of the
/// model files. The tokenizer lies where nanochat has it.
inline std::filesystem::path nanochatSteps(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::copy(data("nanochat-2026-01"), folder, fs::copy_options::recursive);
  const fs::path models = folder / "base_checkpoints" / "d4";
  fs::copy_file(models / "model_000100.pt", models / "model_000020.pt");
  fs::copy_file(models / "meta_000100.json", models / "meta_000020.json");
  return models;
}

}  // namespace support
