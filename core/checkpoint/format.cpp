#include "core/checkpoint/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/checkpoint/content.h"
#include "core/checkpoint/nanogpt_format.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/zip_directory.h"
#include "core/error.h"
#include "core/file_patterns.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

constexpr Format kFormats[] = {
    {"*.pt *.pth *.bin *.ckpt", "ckpt.pt", nanogpt::sniff, nanogpt::load},
};

/// Names of the tensors in a dict.
std::vector<std::string> tensorNames(const pickle::Value& dict) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    if (isTensor(*dict.items[i + 1])) names.emplace_back(dict.items[i]->text);
  }
  return names;
}

/// A torch file that no row takes: what is in it, and how far it is from the nearest family.
Error refusalOfTorchFile(const TorchFile& torch) {
  const pickle::Value& root = torch.root();
  const std::string name = torch.file().name();
  if (root.kind == pickle::Kind::Object) {
    if (isTensor(root))
      return Error(ErrorKind::NotAModel,
                   fmt::format("{}: it holds a single tensor, not a model. Open the model's file.", name));
    return Error(
        ErrorKind::Unsupported,
        fmt::format(
            "{}: it is a whole object of the class {}, which only its own code can rebuild. Save the weights instead: "
            "torch.save(model.state_dict(), ...).",
            name, inQuotes(pickle::callee(root))));
  }
  if (root.kind != pickle::Kind::Dict) {
    return Error(ErrorKind::NotAModel, fmt::format("{}: it holds {}, not a dict of tensors. Open the model's file.",
                                                   name, pickle::describe(root)));
  }
  std::string found =
      fmt::format("its top level has {} ({})", counted(root.items.size() / 2, "key"), listed(pickle::keyTexts(root)));
  std::vector<std::string> tensors = tensorNames(root);
  std::set<const pickle::Value*> seen;  // every key may hold the same dict
  for (std::size_t i = 0; i + 1 < root.items.size() && tensors.empty(); i += 2) {
    if (root.items[i + 1]->kind != pickle::Kind::Dict || !seen.insert(root.items[i + 1]).second) continue;
    tensors = tensorNames(*root.items[i + 1]);
    if (!tensors.empty())
      found += fmt::format("; {} has {}", inQuotes(root.items[i]->text), counted(tensors.size(), "tensor"));
  }
  if (tensors.empty()) {
    return Error(
        ErrorKind::NotAModel,
        fmt::format("{}: no model is in it: {}, and none holds tensors by name. Open the model's file.", name, found));
  }
  return Error(ErrorKind::Unsupported,
               fmt::format("{}: it is of no family known here: {}. {}", name, found, nanogpt::distance(tensors)));
}

}  // namespace

fs::path fileToOpen(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  std::vector<std::string> wanted;
  for (const Format& format : kFormats) {
    const fs::path file = path / format.folderFile;
    if (fs::exists(file, error)) return file;
    wanted.emplace_back(format.folderFile);
  }
  std::vector<std::string> checkpoints;
  fs::directory_iterator entries(path, error);
  if (error)
    throw Error(ErrorKind::NoPermission, fmt::format("{}: the folder can't be listed: {}. Choose a checkpoint file.",
                                                     path.string(), error.message()));
  for (const fs::directory_entry& entry : entries) {
    const fs::path extension = entry.path().extension();
    if (extension == ".pt" || extension == ".pth") checkpoints.push_back(entry.path().filename().string());
  }
  std::sort(checkpoints.begin(), checkpoints.end());
  if (checkpoints.size() == 1) return path / checkpoints.front();
  throw Error(
      ErrorKind::NotAFile,
      checkpoints.empty()
          ? fmt::format("{}: it is a folder, and neither {} nor another .pt file is in it. Choose a checkpoint file.",
                        path.string(), listed(wanted))
          : fmt::format("{}: it is a folder with {} and no {}: {}. Choose one of them.", path.string(),
                        counted(checkpoints.size(), "checkpoint"), listed(wanted), listed(checkpoints)));
}

ZipDirectory torchDirectory(const File& file) {
  const std::string head = file.read(0, std::min<std::uint64_t>(file.size(), 4));
  if (!looksLikeZip(head)) throw refusalOf(file);
  ZipDirectory directory;
  try {
    directory = readZipDirectory(file);
  } catch (const Error& error) {
    const std::uint64_t needed = error.kind() == ErrorKind::Truncated ? bytesNamedByCutFile(file) : 0;
    if (needed <= file.size()) throw;
    throw Error(ErrorKind::Truncated,
                fmt::format("{}: the file was cut short: it has {} bytes, and its tensors alone take {}. Download or "
                            "copy it again.",
                            file.name(), grouped(file.size()), grouped(needed)));
  }
  if (!looksLikeTorchArchive(directory)) throw refusalOfZip(file, directory);
  return directory;
}

Checkpoint loadFile(File file, const LoadOptions& options, const Progress& progress) {
  progress.report(0, "looking at the file");
  const ZipDirectory directory = torchDirectory(file);
  const TorchFile torch(std::move(file), directory);
  for (const Format& format : kFormats) {
    if (format.sniff(torch)) return format.load(torch, options, progress);
  }
  throw refusalOfTorchFile(torch);
}

}  // namespace core::checkpoint

std::string core::openPatterns() {
  std::string patterns;
  for (const checkpoint::Format& format : checkpoint::kFormats) {
    if (!patterns.empty()) patterns += ' ';
    patterns += format.patterns;
  }
  return patterns;
}
