#include "core/checkpoint/nanogpt_format.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/huggingface_format.h"
#include "core/checkpoint/meta_pickle.h"
#include "core/checkpoint/nanogpt_config.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/checkpoint/tokenizer_choice.h"
#include "core/checkpoint/torch_tensor.h"
#include "core/error.h"
#include "core/tokenizer/byte_bpe.h"

namespace core::checkpoint::nanogpt {

namespace fs = std::filesystem;

namespace {

using pickle::Kind;
using pickle::Value;
using Topic = ReportLine::Topic;

/// Whether bare names are nanoGPT's (and GPT-2's): the packed projection and the embedding tell.
bool hasOurNames(const Value& dict) {
  if (dict.kind != Kind::Dict) return false;
  std::vector<std::string> names = pickle::keyTexts(dict);
  normalizeNames(names, kNanogpt);
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return has("transformer.wte.weight") && has("transformer.h.0.attn.c_attn.weight");
}

std::string titleOf(const fs::path& path) {
  return path.filename() == "ckpt.pt" ? path.parent_path().filename().string() : path.stem().string();
}

void reportFamily(const TorchFile& file, ModelInfo& info) {
  say(info, Topic::Family, fmt::format("nanoGPT: {}", sizesText(info.config)));
  const std::string extension = file.file().path().extension().string();
  if (extension != ".pt" && extension != ".pth") {
    say(info, Topic::Family,
        fmt::format("recognised by its content: a torch archive, although its name ends in {}", inQuotes(extension)));
  }
}

void reportVersion(const Value& root, const Config& config, ModelInfo& info) {
  if (config.biasWasAbsent) {
    say(info, Topic::Version,
        "model_args has no 'bias': the file is from before that option (January 2023). Biases are there, and the GELU "
        "is the tanh form, which nanoGPT trained with until 17 May 2023; it can be changed");
  } else {
    say(info, Topic::Version,
        "GELU: the exact one (erf). nanoGPT trained with the tanh form before 17 May 2023, which the file does not "
        "tell: for an older file choose tanh");
  }
  if (const Value* step = pickle::find(root, "iter_num"); step != nullptr && step->kind == Kind::Int) {
    say(info, Topic::Version, fmt::format("saved at step {}", grouped(step->integer)));
  }
}

/// The top level's objects of other programs: "config: argparse.Namespace".
std::vector<std::string> opaqueValues(const Value& root) {
  const std::vector<std::string> keys = pickle::keyTexts(root);
  std::vector<std::string> opaque;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Value& value = *root.items[2 * i + 1];
    if (value.kind == Kind::Object && !isTensor(value))
      opaque.push_back(fmt::format("{}: {}", keys[i], pickle::callee(value)));
  }
  return opaque;
}

void reportRest(const TorchFile& file, const Value& root, const Config& config, ModelInfo& info) {
  if (pickle::find(root, "optimizer") != nullptr) say(info, Topic::Ignored, "the optimizer's state (not read)");
  if (const std::vector<std::string> opaque = opaqueValues(root); !opaque.empty())
    say(info, Topic::Ignored, fmt::format("objects of other programs, which are not shown: {}", listed(opaque)));
  if (!config.ignored.empty())
    say(info, Topic::Ignored, fmt::format("model_args without effect on a trained model: {}", listed(config.ignored)));
  if (config.biasWasAbsent) say(info, Topic::Patched, "'bias' taken as True");
  if (!info.config.tiedHead) {
    say(info, Topic::Version,
        "lm_head.weight differs from wte.weight and is used as it is (files from before 14 January 2023 are not "
        "tied)");
  }
  for (const std::string& note : file.notes()) say(info, Topic::Warning, note);
}

void addTokenizer(const TorchFile& file, const LoadOptions& options, Checkpoint& checkpoint) {
  const ModelInfo& info = checkpoint.info;
  const Value* config = pickle::find(file.root(), "config");
  const Value* dataset = config != nullptr ? pickle::find(*config, "dataset") : nullptr;
  const std::string_view name = dataset != nullptr && dataset->kind == Kind::Text ? dataset->text : std::string_view();
  const fs::path meta = findMetaPickle(info.path, name).value_or(fs::path());
  if (meta.empty() && options.tokenizer.empty() && info.config.vocabulary >= tokenizer::kGpt2Vocabulary) {
    // nanoGPT rounds the 50,257 rows up.
    useTokenizer(checkpoint, tokenizer::gpt2Tokenizer(), "", SpareIds::Padding);
    say(checkpoint.info, Topic::Tokenizer,
        "GPT-2 byte-level BPE: there is no meta.pkl, and the vocabulary is as large as GPT-2's");
    return;
  }
  const std::string folder = name.empty() ? std::string() : " or in " + inQuotes(fmt::format("data/{}", name));
  chooseTokenizer(checkpoint, options, meta,
                  fmt::format("meta.pkl beside the checkpoint{}, and {} tokens are too few for GPT-2's", folder,
                              grouped(info.config.vocabulary)),
                  SpareIds::Mismatch);
}

}  // namespace

std::vector<Openable> inFolder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / "ckpt.pt";
  if (!fs::exists(file, ignored)) return {};
  return {{file, "ckpt.pt", std::nullopt}};
}

bool sniff(const Content& content) {
  if (!content.torch) return false;
  const Value& root = content.torch->root();
  const Value* model = pickle::find(root, "model");
  // A bare dict with these names is also what Hugging Face's GPT-2 keeps beside its config.json.
  return (hasOurNames(root) && !huggingface::sniff(content)) ||
         (model != nullptr && (pickle::find(root, "model_args") != nullptr || hasOurNames(*model)));
}

std::vector<fs::path> weightFiles(const Content& content) { return {content.path}; }

Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress) {
  const TorchFile& file = *content.torch;
  const Value& root = file.root();
  const std::string name = file.file().name();
  const Value* modelArgs = pickle::find(root, "model_args");
  if (modelArgs == nullptr) {
    throw Error(ErrorKind::Unsupported,
                fmt::format("{}: it has the weights of a nanoGPT or GPT-2 model but no 'model_args', which say how "
                            "many heads there are. Open the ckpt.pt that training saved.",
                            name));
  }
  const Value* model = pickle::find(root, "model");
  if (model == nullptr) {
    throw Error(ErrorKind::Unsupported,
                fmt::format("{}: it has 'model_args' but no 'model': its weights stand beside them. Save the "
                            "checkpoint as nanoGPT's train.py does, with the weights under 'model'.",
                            name));
  }
  const Config config = readConfig(*modelArgs, name);
  const auto store = makeStore(file, *model, "'model'");

  Checkpoint checkpoint;
  ModelInfo& info = checkpoint.info;
  info.path = file.file().path();
  info.name = titleOf(info.path);
  info.config = config.numbers;
  reportFamily(file, info);
  reportVersion(root, config, info);
  loadWeights(*store, kNanogpt, {"model_args", "n_layer", std::string(kSaveWithItsConfig)}, checkpoint, progress);
  reportRest(file, root, config, info);
  addTokenizer(file, options, checkpoint);
  progress.report(1, "done");
  return checkpoint;
}

}  // namespace core::checkpoint::nanogpt
