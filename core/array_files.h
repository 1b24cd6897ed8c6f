// Whole files of arrays: each appears when it is complete, or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/array_output.h"
#include "core/output_file.h"

namespace core {

/// run.npy -> run.json: the file beside one that has no place for more than numbers.
std::filesystem::path metaFileOf(const std::filesystem::path& path);

/// A file and its meta file, which get their names together: the meta file after the other. Errors: Io as OutputFile,
/// for either of them before anything is written.
class FileWithMeta {
 public:
  FileWithMeta(const std::filesystem::path& path, Existing existing, std::uint64_t bytesNeeded, std::string meta);

  OutputFile& data() { return m_data; }
  std::uint64_t commit();  ///< returns the bytes of both

 private:
  std::filesystem::path m_metaPath;
  Existing m_existing;
  std::string m_meta;
  OutputFile m_data;
};

/// All of these return the bytes that were written. Errors: Io, and those of the arrays' write().
std::uint64_t writeNpz(const std::filesystem::path& path, Existing existing, const std::vector<OutputArray>& arrays);
std::uint64_t writeNpy(const std::filesystem::path& path, Existing existing, const OutputArray& array,
                       const std::string& meta);

/// Arrays of Text are left out: the format has none. Source: the README of huggingface/safetensors.
std::uint64_t writeSafetensors(const std::filesystem::path& path, Existing existing, std::vector<OutputArray> arrays,
                               const std::map<std::string, std::string>& texts);

}  // namespace core
