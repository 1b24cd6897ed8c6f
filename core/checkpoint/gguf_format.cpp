#include "core/checkpoint/gguf_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "core/checkpoint/config_report.h"
#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/file_store.h"
#include "core/checkpoint/gguf_config.h"
#include "core/checkpoint/gguf_parts.h"
#include "core/checkpoint/gguf_rows.h"
#include "core/checkpoint/gguf_tokenizer.h"
#include "core/checkpoint/joined_store.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/tokenizer_choice.h"
#include "core/error.h"

namespace core::checkpoint::gguf {

namespace fs = std::filesystem;

namespace {

using Topic = ReportLine::Topic;

constexpr std::string_view kTensorsKey = "split.tensors.count";

bool isGgufByName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".gguf" || extension == ".GGUF";
}

/// All files of the model as one store, and the metadata, which is in the first.
struct Weights {
  fs::path path;  ///< of the first
  GgufMetadata metadata;
  JoinedStore store;
};

/// Errors: Mismatch for a part that says other numbers than its name, or fewer tensors than the first names.
void requirePart(const GgufFile& part, std::size_t number, std::size_t count) {
  const std::uint64_t saidCount = part.metadata().wholeNumber("split.count").value_or(0);
  const std::uint64_t said = part.metadata().wholeNumber("split.no").value_or(0) + 1;
  if (saidCount == count && said == number) return;
  throw Error(ErrorKind::Mismatch,
              fmt::format("{}: by its name it is part {} of {}, but inside it says part {} of {}. Download or copy all "
                          "parts of the model again.",
                          part.file().name(), number, count, grouped(said), grouped(saidCount)));
}

Weights open(GgufFile opened) {
  const std::vector<fs::path> paths = ggufParts(opened);
  const fs::path openedPath = opened.file().path();
  Weights weights{paths.front(), {}, JoinedStore(paths.front().string())};
  for (std::size_t i = 0; i < paths.size(); ++i) {
    GgufFile part = paths[i] == openedPath ? std::move(opened) : GgufFile(File(paths[i]));
    if (paths.size() > 1) requirePart(part, i + 1, paths.size());
    if (i == 0) weights.metadata = part.takeMetadata();
    weights.store.add(ggufStore(std::move(part)));
  }
  const auto tensors = weights.metadata.wholeNumber(kTensorsKey);
  if (paths.size() > 1 && tensors.value_or(weights.store.names().size()) != weights.store.names().size()) {
    throw Error(
        ErrorKind::Mismatch,
        fmt::format("{}: {} says {} in all parts together, but they have {}. Download or copy all parts of the "
                    "model again.",
                    paths.front().string(), kTensorsKey, counted(*tensors, "tensor"), weights.store.names().size()));
  }
  return weights;
}

void requireModel(const Weights& weights) {
  if (!weights.store.names().empty()) return;
  throw Error(ErrorKind::NotAModel,
              fmt::format("{}: it holds no tensor: a tokenizer only, as llama.cpp has for its tests. Open the model's "
                          "file.",
                          weights.path.string()));
}

/// The rows of q and k of every layer as RoPE is computed here.
void turnRows(Checkpoint& checkpoint) {
  const ModelConfig& config = checkpoint.info.config;
  for (int layer = 0; layer < config.layers; ++layer) {
    for (const char* part : {"weight", "bias"}) {
      const auto turn = [&](std::string_view name, std::int64_t firstRow, std::int64_t heads) {
        const auto found = checkpoint.tensors.find(fmt::format("h.{}.attn.{}.{}", layer, name, part));
        if (found != checkpoint.tensors.end()) pairsToHalves(found->second, firstRow, heads, config.headSize);
      };
      turn("q", 0, config.heads);
      turn("k", 0, config.kvHeads);
      turn("qkv", 0, config.heads);
      turn("qkv", std::int64_t{config.heads} * config.headSize, config.kvHeads);
    }
  }
  say(checkpoint.info, Topic::Patched,
      "rows of q and k: from neighbouring pairs, as llama.cpp turns them, to the halves of each head");
}

/// From a tensor to numbers of the config. Errors: Mismatch for one that is not of plain fp32, or not above 0.
void takeRopeFactors(Checkpoint& checkpoint) {
  const auto found = checkpoint.tensors.find("rope_factors");
  if (found == checkpoint.tensors.end()) return;
  const Tensor& tensor = found->second;
  std::vector<float> factors(static_cast<std::size_t>(tensor.elements()));
  // Of another type they stay 0.
  if (tensor.type == DType::F32) std::memcpy(factors.data(), tensor.data.get(), factors.size() * sizeof(float));
  if (std::any_of(factors.begin(), factors.end(), [](float factor) { return !(factor > 0); })) {
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: the tensor 'rope_freqs.weight' must have numbers above 0 in F32. {}",
                            checkpoint.info.path.string(), kConvertAgain));
  }
  checkpoint.info.config.ropeScaling.factors = std::move(factors);
  checkpoint.tensors.erase(found);
}

void reportFile(const GgufMetadata& metadata, ModelInfo& info) {
  std::string text = "GGUF";
  for (const auto& [key, before] : {std::pair("general.name", ": "), {"general.license", ", licence "}}) {
    const auto value = metadata.values().find(key);
    if (value == metadata.values().end() || value->second.isList || value->second.type != GgufValueType::Text) continue;
    text += before + inQuotes(*metadata.text(key));
  }
  say(info, Topic::Family, text);
  const std::string extension = info.path.extension().string();
  if (extension != ".gguf")
    say(info, Topic::Family,
        fmt::format("recognised by its content: GGUF, although its name ends in {}", inQuotes(extension)));
}

void addTokenizer(const GgufMetadata& metadata, const LoadOptions& options, Checkpoint& checkpoint) {
  if (!options.tokenizer.empty()) {
    chooseTokenizer(checkpoint, options, {}, "", SpareIds::Padding);
    return;
  }
  std::vector<std::string> warnings;
  const auto read = [&] {
    ReadTokenizer result = readTokenizer(metadata);
    warnings = std::move(result.warnings);
    return result.tokenizer;
  };
  if (!tryTokenizer(checkpoint, read, " (in the file)", "in the file", SpareIds::Padding)) return;
  say(checkpoint.info, Topic::Tokenizer, fmt::format("{} in the file", checkpoint.tokenizer->description()));
  for (std::string& warning : warnings) say(checkpoint.info, Topic::Warning, std::move(warning));
}

}  // namespace

std::vector<Openable> inFolder(const fs::path& folder) {
  std::vector<Openable> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    if (!isGgufByName(path) || isLaterPart(path)) continue;
    files.push_back({path, path.filename().string(), std::nullopt});
  }
  std::sort(files.begin(), files.end(), [](const Openable& a, const Openable& b) { return a.label < b.label; });
  return files;
}

bool sniff(const Content& content) { return content.gguf != nullptr; }

std::vector<fs::path> weightFiles(const Content& content) { return ggufParts(*content.gguf); }

Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress) {
  Weights weights = open(std::move(*content.gguf));
  requireModel(weights);
  Config config = readConfig(weights.metadata, weights.store);
  Checkpoint checkpoint;
  ModelInfo& info = checkpoint.info;
  info.path = weights.path;
  info.name = weights.path.stem().string();
  info.config = std::move(config.numbers);
  reportNumbers(info);
  reportFile(weights.metadata, info);
  if (!config.defaults.empty()) {
    say(info, Topic::Version,
        fmt::format("not in the file, taken as llama.cpp does: {}", fmt::join(config.defaults, ", ")));
  }
  const ConfigSource source{"metadata", config.layersKey, std::string(kConvertAgain)};
  loadWeights(weights.store, config.family, source, checkpoint, progress);
  takeRopeFactors(checkpoint);
  if (config.rows == RotaryRows::Pairs) turnRows(checkpoint);
  addTokenizer(weights.metadata, options, checkpoint);
  return checkpoint;
}

}  // namespace core::checkpoint::gguf
