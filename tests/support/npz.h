// Reads .npz files with code of its own, so that a test does not believe the writer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace support {

struct NpyArray {
  std::string header;  ///< the dictionary as text, padding removed
  std::vector<float> floats;
  std::vector<std::int64_t> integers;
  std::vector<std::string> texts;  ///< of "U", as UTF-8
};

/// Walks the central directory, checks every local header, size, checksum and the 64-byte padding against it.
/// Throws std::runtime_error at the first thing that is not as the zip and NPY formats say.
std::map<std::string, NpyArray> readNpz(const std::filesystem::path& path);

}  // namespace support
