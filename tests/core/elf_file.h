// What a program file of Linux says about itself, and the GPU code in it.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace support {

/// The libraries that the loader must find, in its order: the file names in DT_NEEDED.
std::vector<std::string> neededLibraries(const std::filesystem::path& program);

/// The code for GPUs in it: "sm_90" for machine code, "compute_100" for PTX.
std::set<std::string> gpuCode(const std::filesystem::path& program);

}  // namespace support
