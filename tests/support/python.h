// numpy as the judge of files that Python users open.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace support {

/// A Python 3 with numpy: the project's environment, else python3 of the path. nullopt when there is none.
std::optional<std::filesystem::path> pythonWithNumpy();

/// Runs a script with arguments; gives what it prints, standard error included. Throws when it ends with another code
/// than 0.
std::string runPython(const std::filesystem::path& python, const std::string& script, const std::string& argument);

}  // namespace support
