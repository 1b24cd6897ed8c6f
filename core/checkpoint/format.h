// The table of formats. A format is one row: what it keeps in a folder, how it is recognised, how it is loaded.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/gguf_file.h"
#include "core/checkpoint/json.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/checkpoint/torch_file.h"
#include "core/checkpoint/zip_directory.h"
#include "core/openable.h"

namespace core::checkpoint {

/// An opened file by its container: one of the four is there.
struct Content {
  std::filesystem::path path;
  std::unique_ptr<TorchFile> torch;
  std::unique_ptr<SafetensorsFile> safetensors;
  std::unique_ptr<GgufFile> gguf;
  std::optional<Json> json;

  std::filesystem::path folder() const { return path.parent_path(); }
};

struct Format {
  std::string_view patterns;   ///< of file names, for an Open dialog
  std::string_view lookedFor;  ///< in a folder, for a sentence: "ckpt.pt (nanoGPT)"
  /// What a folder offers by the names in it; empty when it is no folder of this format.
  std::vector<Openable> (*inFolder)(const std::filesystem::path& folder);
  bool (*sniff)(const Content& content);
  /// The files that hold the weights. Errors: NotFound for those of a set that are not there.
  std::vector<std::filesystem::path> (*weightFiles)(const Content& content);
  /// May take the content's parts.
  Checkpoint (*load)(Content& content, const LoadOptions& options, const Progress& progress);
};

/// The files that hold the weights of what a file is or belongs to; the file itself when no format takes it.
std::vector<std::filesystem::path> weightFiles(const std::filesystem::path& file);

/// The table, in the order in which they are asked.
std::span<const Format> formats();

/// Their lookedFor, separated by commas.
std::string allLookedFor();

/// Whether a file is to be read as safetensors: by its content, or by its name where the content is of no other known
/// type, so that a broken one is refused as what it should be. Errors: as refusalOf.
bool isSafetensors(const File& file);

/// Whether a file begins as GGUF does.
bool isGguf(const File& file);

/// Errors: those of File and of the containers; what the file is instead, when it is of no type that a format reads.
Content openContent(File file);

/// The directory of a file that is a torch archive, or looks like one. Errors: what the file is instead; those of
/// readZipDirectory.
ZipDirectory torchDirectory(const File& file);

/// Recognises the content and loads it. Errors: all kinds.
Checkpoint loadFile(File file, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint
