// A prompt from a file: its bytes, nothing trimmed.
#pragma once

#include <filesystem>
#include <string>

#include "core/progress.h"

namespace app {

/// Files, pipes and devices are read to their end; progress is asked whether to go on also while nobody writes.
/// Errors: NotFound, NoPermission, NotAFile (a folder), Io, TooLarge above 64 MiB, Cancelled.
std::string readPromptFile(const std::filesystem::path& path, const core::Progress& progress);

}  // namespace app
