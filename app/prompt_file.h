// A prompt from a file: its bytes, nothing trimmed.
#pragma once

#include <filesystem>
#include <string>

namespace app {

/// Files, pipes and devices are read to their end.
/// Errors: NotFound, NoPermission, NotAFile (a folder), Io, TooLarge above 64 MiB.
std::string readPromptFile(const std::filesystem::path& path);

}  // namespace app
