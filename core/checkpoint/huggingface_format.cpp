#include "core/checkpoint/huggingface_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/huggingface_config.h"
#include "core/checkpoint/huggingface_files.h"
#include "core/checkpoint/huggingface_model_type.h"
#include "core/checkpoint/huggingface_report.h"
#include "core/checkpoint/huggingface_tokenizer.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/checkpoint/tensor_names.h"
#include "core/checkpoint/torch_tensor.h"
#include "core/error.h"

namespace core::checkpoint::huggingface {

namespace fs = std::filesystem;

namespace {

using Topic = ReportLine::Topic;

constexpr const char* kHead = "lm_head.weight";

/// Opened weights: the store, and what it reads from.
struct Weights {
  fs::path path;
  Content content;
  std::unique_ptr<TensorStore> store;
};

bool isBareDict(const TorchFile& file) {
  const pickle::Value& root = file.root();
  if (root.kind != pickle::Kind::Dict || root.items.size() < 2) return false;
  for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
    if (!isTensor(*root.items[i + 1])) return false;
  }
  return true;
}

[[noreturn]] void throwAdapter(const fs::path& file, const std::string& sign) {
  throw Error(ErrorKind::Unsupported,
              fmt::format("{}: it is an adapter without its base model ({}). Merge it first, in Python with PEFT's "
                          "merge_and_unload(), save the merged model with save_pretrained, and open that.",
                          file.string(), sign));
}

/// Errors: Unsupported for an adapter (LoRA and others of PEFT) that is alone.
void refuseAdapter(const Content& content) {
  const fs::path folder = content.folder();
  if (content.json && content.json->contains("peft_type")) throwAdapter(content.path, "its 'peft_type' says so");
  std::vector<std::string> names;
  if (content.safetensors) {
    for (const auto& [name, entry] : content.safetensors->entries()) names.push_back(name);
  } else if (content.torch) {
    names = pickle::keyTexts(content.torch->root());
  }
  if (const std::string name = adapterTensor(names); !name.empty())
    throwAdapter(content.path, fmt::format("it has the tensor {}", inQuotes(name)));
  if (has(folder, kAdapterConfigName) && !has(folder, kConfigName))
    throwAdapter(content.path, fmt::format("beside it is {}, and no {}", kAdapterConfigName, kConfigName));
}

Config readConfigOf(const fs::path& folder) {
  const fs::path path = folder / kConfigName;
  if (!has(folder, kConfigName)) {
    throw Error(ErrorKind::NotFound,
                fmt::format("{}: the file is not there. It says how many heads there are and which family it is ({}). "
                            "Copy it there from where the weights are from.",
                            path.string(), modelTypes()));
  }
  return readConfig(readJson(File(path), kConfigJson), path.string());
}

/// The file or index to read, by what was opened. Errors: those of weightsIn() and indexOf().
fs::path weightsFor(const Content& content) {
  if (content.json) return content.json->contains("weight_map") ? content.path : weightsIn(content.folder());
  return indexOf(content.path).value_or(content.path);
}

/// May take the opened content. Errors: those of opening the file.
Weights openWeights(Content& opened) {
  Weights weights;
  weights.path = weightsFor(opened);
  const bool same = weights.path == opened.path;
  weights.content = same ? std::move(opened) : openContent(File(weights.path));
  Content& content = weights.content;
  if (content.gguf) {
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: it is a GGUF file under another name. Open the file itself, not its folder.",
                            weights.path.string()));
  }
  if (content.safetensors) {
    weights.store = makeStore(std::move(*content.safetensors));
    content.safetensors.reset();
  } else if (content.torch) {
    weights.store = makeStore(*content.torch, content.torch->root(), "its top level");
  } else {
    weights.store = openShards(weights.path);
  }
  return weights;
}

/// Errors: Mismatch where config.json says that embedding and lm_head are two, and one of them is not there.
void requireBoth(const Weights& weights, const ModelConfig& config) {
  const std::vector<std::string>& names = weights.store->names();
  for (const char* tensor : {kHead, config.positions == Positions::Learned ? "wte.weight" : "embed_tokens.weight"}) {
    const auto isIt = [&](const std::string& name) { return name.ends_with(tensor); };
    if (config.tiedHead || std::any_of(names.begin(), names.end(), isIt)) continue;
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: the tensor '{}' is not there, and by config.json lm_head is not tied to the embedding "
                            "('tie_word_embeddings' is not true). Save the whole language model with save_pretrained: "
                            "the class that ends in ForCausalLM, not the one inside it.",
                            weights.path.string(), tensor));
  }
}

/// transformers 5 keeps both where a file has two that differ; transformers 4 replaced lm_head.
void reportUntied(ModelInfo& info) {
  if (info.config.tiedHead) return;
  say(info, Topic::Warning,
      "by config.json ('tie_word_embeddings') lm_head and the embedding are one, but the file has two that differ: "
      "both are used as they are, as transformers 5 does. It changes the logits, not the attention.");
}

}  // namespace

std::vector<Openable> inFolder(const fs::path& folder) {
  std::vector<std::string_view> names = {kConfigName};
  names.insert(names.end(), std::begin(kWeightNames), std::end(kWeightNames));
  names.push_back(kAdapterConfigName);
  for (const std::string_view name : names) {
    if (has(folder, name)) return {{folder / name, folder.filename().string(), std::nullopt}};
  }
  return {};
}

bool sniff(const Content& content) {
  if (content.safetensors) return true;
  const std::string file = content.path.filename().string();
  if (content.json) {
    const Json& json = *content.json;
    return json.is_object() && (file == kConfigName || json.contains("model_type") || json.contains("architectures") ||
                                json.contains("weight_map") || json.contains("peft_type"));
  }
  return content.torch && isBareDict(*content.torch) &&
         (has(content.folder(), kConfigName) || file.starts_with("pytorch_model"));
}

std::vector<fs::path> weightFiles(const Content& content) {
  const fs::path weights = weightsFor(content);
  return weights.extension() == ".json" ? shardFiles(weights) : std::vector{weights};
}

Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress) {
  refuseAdapter(content);
  const fs::path folder = content.folder();
  const Config config = readConfigOf(folder);
  const Weights weights = openWeights(content);
  if (const std::string name = adapterTensor(weights.store->names()); !name.empty())
    throwAdapter(weights.path, fmt::format("it has the tensor {}", inQuotes(name)));

  Checkpoint checkpoint;
  ModelInfo& info = checkpoint.info;
  info.path = folder;
  info.name = folder.filename().string();
  info.config = config.numbers;
  const bool isGpt2 = info.config.positions == Positions::Learned;
  const ConfigSource source{std::string(kConfigName), isGpt2 ? "n_layer" : "num_hidden_layers",
                            std::string(kSaveAgain)};
  requireBoth(weights, info.config);
  reportConfig(config, info);
  reportFile(weights.path, weights.content, info);
  Family family = isGpt2 ? kGpt2 : kLlama;
  family.name = config.numbers.family;  // one table serves several
  loadWeights(*weights.store, family, source, checkpoint, progress);
  if (config.numbers.tiedHead) reportUntied(info);
  addTokenizer(checkpoint, folder, options);
  return checkpoint;
}

}  // namespace core::checkpoint::huggingface
