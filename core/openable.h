// What a path offers to open: usually one checkpoint; several where training kept its steps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

struct Openable {
  std::filesystem::path path;        ///< to give to Session::open
  std::string label;                 ///< "base_checkpoints/d4, step 100"
  std::optional<std::int64_t> step;  ///< of training, where the name tells
};

/// By names alone; nothing is opened. A file offers itself; of a folder's several steps the last stands first.
/// location: as a user may write it.
/// Errors: NotFound; NotAFile for a folder without a checkpoint, saying what was looked for; NoPermission, Io.
std::vector<Openable> openable(std::string_view location);

/// Files dropped or given together: the path of the set that they belong to (its folder, or the model file among them)
/// when they do, else nothing. One path is its own set.
std::optional<std::filesystem::path> commonSet(const std::vector<std::filesystem::path>& paths);

/// The model of which a file with this name is the optimizer's state, where it is there: "model_000700.pt" beside
/// "optim_000700_rank0.pt". Errors: NotAFile when the location is no place of this computer.
std::optional<std::filesystem::path> modelOfOptimizer(std::string_view location);

}  // namespace core
