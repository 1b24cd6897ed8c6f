#include "core/checkpoint/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/checkpoint/content.h"
#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/gguf_format.h"
#include "core/checkpoint/gguf_parts.h"
#include "core/checkpoint/huggingface_format.h"
#include "core/checkpoint/nanochat_format.h"
#include "core/checkpoint/nanogpt_format.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"
#include "core/file_patterns.h"

namespace core::checkpoint {

namespace fs = std::filesystem;

namespace {

/// The first that takes a folder or a content has it.
constexpr Format kFormats[] = {
    {"*.pt *.pth *.ckpt", "ckpt.pt (nanoGPT)", nanogpt::inFolder, nanogpt::sniff, nanogpt::weightFiles, nanogpt::load},
    {"meta_*.json", "model_<step>.pt (nanochat)", nanochat::inFolder, nanochat::sniff, nanochat::weightFiles,
     nanochat::load},
    {"*.safetensors *.bin config.json *.index.json", "config.json (Hugging Face)", huggingface::inFolder,
     huggingface::sniff, huggingface::weightFiles, huggingface::load},
    {"*.gguf", "*.gguf (llama.cpp)", gguf::inFolder, gguf::sniff, gguf::weightFiles, gguf::load},
};
/// Config and index of any format; each has its own limit where it is read.
constexpr JsonLimits kLargestJson = {.bytes = kIndexJson.bytes, .values = kIndexJson.values};
constexpr std::uint64_t kMostWhiteSpace = 4096;  // before JSON

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
               fmt::format("{}: it is of no family known here: {}. {}", name, found, nearestFamily(tensors)));
}

/// Whether the first sign after white space is "{". A byte-order mark is left to the reader of JSON, which names it.
bool looksLikeJson(const File& file) {
  constexpr std::uint64_t kPiece = 16;  // of a model no more than that is read for it
  for (std::uint64_t at = 0; at < std::min(file.size(), kMostWhiteSpace); at += kPiece) {
    const std::string piece = file.read(at, std::min(kPiece, file.size() - at));
    const std::size_t mark = at == 0 && piece.starts_with("\xef\xbb\xbf") ? 3 : 0;
    const std::size_t start = piece.find_first_not_of(" \t\r\n", mark);
    if (start != std::string::npos) return piece[start] == '{';
  }
  return false;
}

/// A text that begins as JSON does. Errors: what the file is, by its name; those of readJson.
Json jsonOf(const File& file) {
  if (isPartByName(file)) throw refusalOf(file);
  return readJson(file, kLargestJson);
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::string allLookedFor() {
  std::vector<std::string_view> files;
  for (const Format& format : kFormats) files.push_back(format.lookedFor);
  return fmt::format("{}", fmt::join(files, ", "));
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

bool isSafetensors(const File& file) {
  const std::string head = file.read(0, std::min<std::uint64_t>(file.size(), 10));
  if (looksLikeSafetensors(head)) return true;
  if (file.path().extension() != ".safetensors" || looksLikeZip(head)) return false;
  return file.size() < kLengthBytes || !refusalByType(file);  // less than a length tells no type
}

bool isGguf(const File& file) {
  return file.read(0, std::min<std::uint64_t>(file.size(), kGgufMagic.size())) == kGgufMagic;
}

Content openContent(File file) {
  if (const std::optional<Error> piece = refusalOfPiece(file.path())) throw *piece;
  Content content;
  content.path = file.path();
  if (isGguf(file)) {
    content.gguf = std::make_unique<GgufFile>(std::move(file));
  } else if (isSafetensors(file)) {
    content.safetensors = std::make_unique<SafetensorsFile>(std::move(file));
  } else if (looksLikeJson(file)) {
    content.json = jsonOf(file);
  } else {
    const ZipDirectory directory = torchDirectory(file);
    content.torch = std::make_unique<TorchFile>(std::move(file), directory);
  }
  return content;
}

std::vector<fs::path> weightFiles(const fs::path& file) {
  const Content content = openContent(File(file));
  for (const Format& format : kFormats) {
    if (format.sniff(content)) return format.weightFiles(content);
  }
  return {file};
}

Checkpoint loadFile(File file, const LoadOptions& options, const Progress& progress) {
  progress.report(0, "looking at the file");
  Content content = openContent(std::move(file));
  for (const Format& format : kFormats) {
    if (format.sniff(content)) return format.load(content, options, progress);
  }
  if (content.torch) throw refusalOfTorchFile(*content.torch);
  throw refusalOf(File(content.path));
}

}  // namespace core::checkpoint

namespace core {

std::string openPatterns() {
  std::string patterns;
  for (const checkpoint::Format& format : checkpoint::kFormats) {
    if (!patterns.empty()) patterns += ' ';
    patterns += format.patterns;
  }
  return patterns;
}

}  // namespace core
