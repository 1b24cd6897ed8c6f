// The table of formats. A format is one row: how it is recognised, how it is loaded.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/torch_file.h"

namespace core::checkpoint {

struct Format {
  std::string_view name;        ///< "nanoGPT checkpoint"
  std::string_view patterns;    ///< of file names, for an Open dialog: "*.pt *.pth"
  std::string_view folderFile;  ///< what to open in a folder: "ckpt.pt"
  bool (*sniff)(const TorchFile& file);
  Checkpoint (*load)(const TorchFile& file, const LoadOptions& options, const Progress& progress);
};

std::span<const Format> formats();

/// The file to open for a path: itself, or in a folder the one that a format looks for there.
/// Errors: NotAFile, saying what was looked for or which files to choose from.
std::filesystem::path fileToOpen(const std::filesystem::path& path);

/// Recognises the content and loads it. Errors: all kinds.
Checkpoint loadFile(File file, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint
