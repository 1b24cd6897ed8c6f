// The table of formats. A format is one row: how it is recognised, how it is loaded.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/torch_file.h"
#include "core/checkpoint/zip_directory.h"

namespace core::checkpoint {

struct Format {
  std::string_view patterns;    ///< of file names, for an Open dialog
  std::string_view folderFile;  ///< what to open in a folder: "ckpt.pt"
  bool (*sniff)(const TorchFile& file);
  Checkpoint (*load)(const TorchFile& file, const LoadOptions& options, const Progress& progress);
};

/// The file to open for a path: itself, or in a folder the one that a format looks for there.
/// Errors: NotAFile, saying what was looked for or which files to choose from.
std::filesystem::path fileToOpen(const std::filesystem::path& path);

/// The directory of a file that is a torch archive, or looks like one. Errors: what the file is instead; those of
/// readZipDirectory.
ZipDirectory torchDirectory(const File& file);

/// Recognises the content and loads it. Errors: all kinds.
Checkpoint loadFile(File file, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint
