#include "core/checkpoint/nanogpt_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/checkpoint/meta_pickle.h"
#include "core/checkpoint/nanogpt_config.h"
#include "core/checkpoint/nanogpt_weights.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/weight_facts.h"
#include "core/error.h"
#include "core/tokenizer/byte_bpe.h"

namespace core::checkpoint::nanogpt {

namespace fs = std::filesystem;

namespace {

using pickle::Kind;
using pickle::Value;
using Topic = ReportLine::Topic;

constexpr std::int64_t kGpt2Vocabulary = 50257;

/// Whether bare names are nanoGPT's (and GPT-2's): the packed projection and the embedding tell.
bool hasOurNames(const Value& dict) {
  if (dict.kind != Kind::Dict) return false;
  std::vector<std::string> names = pickle::keyTexts(dict);
  normalizeNames(names);
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return has("transformer.wte.weight") && has("transformer.h.0.attn.c_attn.weight");
}

std::string titleOf(const fs::path& path) {
  return path.filename() == "ckpt.pt" ? path.parent_path().filename().string() : path.stem().string();
}

void say(ModelInfo& info, Topic topic, std::string text) { info.report.push_back({topic, std::move(text)}); }

void reportFamily(const TorchFile& file, ModelInfo& info) {
  const ModelConfig& config = info.config;
  say(info, Topic::Family,
      fmt::format("nanoGPT: {}, {} of {}, {} wide, context {}, vocabulary {}",
                  counted(static_cast<std::uint64_t>(config.layers), "layer"),
                  counted(static_cast<std::uint64_t>(config.heads), "head"), config.headSize, config.embedding,
                  grouped(config.context), grouped(config.vocabulary)));
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

void reportWeights(const TorchFile& file, const Value& root, const Config& config, const Weights& weights,
                   const TorchFile::Reading& reading, ModelInfo& info) {
  say(info, Topic::Read,
      fmt::format("{} of {} weights in {}: {} of the file's {} bytes", counted(reading.tensors.size(), "tensor"),
                  grouped(info.parameters), info.storedType, grouped(reading.bytes), grouped(file.file().size())));
  if (pickle::find(root, "optimizer") != nullptr) say(info, Topic::Ignored, "the optimizer's state (not read)");
  if (!weights.ignored.empty()) {
    say(info, Topic::Ignored,
        fmt::format("{} that hold the causal mask: {}", counted(weights.ignored.size(), "buffer"),
                    listed(weights.ignored)));
  }
  if (!config.ignored.empty())
    say(info, Topic::Ignored, fmt::format("model_args without effect on a trained model: {}", listed(config.ignored)));
  if (config.biasWasAbsent) say(info, Topic::Patched, "'bias' taken as True");
  if (weights.transposed)
    say(info, Topic::Patched, "linear weights lay (in, out), as GPT-2's Conv1D: turned to (out, in)");
  if (!weights.prefix.empty())
    say(info, Topic::Prefix, fmt::format("{} removed from every name", inQuotes(weights.prefix)));
  for (const std::string& note : file.notes()) say(info, Topic::Warning, note);
  if (!reading.crcDiffers.empty()) {
    say(info, Topic::Warning,
        fmt::format("{} with another checksum than the archive's directory says: {}. Damaged, or saved without "
                    "checksums.",
                    counted(reading.crcDiffers.size(), "record"), listed(reading.crcDiffers)));
  }
}

/// Ties lm_head to the embedding where the file has none or an equal one. Answers whether it is tied.
bool tieHead(std::map<std::string, Tensor>& tensors, ModelInfo& info) {
  const Tensor& embedding = tensors.at("wte.weight");
  const auto head = tensors.find("lm_head.weight");
  if (head == tensors.end()) {
    say(info, Topic::Patched, "lm_head.weight is not in the file: tied to wte.weight");
    tensors.emplace("lm_head.weight", embedding);
    return true;
  }
  if (head->second.data == embedding.data) return true;
  const std::size_t bytes = static_cast<std::size_t>(embedding.elements()) * itemSize(embedding.type);
  if (head->second.type == embedding.type && std::memcmp(head->second.data.get(), embedding.data.get(), bytes) == 0) {
    head->second = embedding;
    return true;
  }
  say(info, Topic::Version,
      "lm_head.weight differs from wte.weight and is used as it is (files from before 14 January 2023 are not tied)");
  return false;
}

void useTokenizer(Checkpoint& checkpoint, std::shared_ptr<const tokenizer::Tokenizer> tokenizer,
                  const std::string& source) {
  ModelInfo& info = checkpoint.info;
  info.tokenizer = tokenizer->description() + source;
  const std::int64_t size = tokenizer->size();
  const std::int64_t vocabulary = info.config.vocabulary;
  checkpoint.tokenizer = std::move(tokenizer);
  // Padding above GPT-2's 50,257 tokens is how nanoGPT rounds the table up.
  if (size > vocabulary || (size < vocabulary && !source.empty())) {
    say(info, Topic::Warning,
        fmt::format("The tokenizer covers {} ids, the model has {}.", grouped(size), grouped(vocabulary)));
  }
}

void useMetaPickle(Checkpoint& checkpoint, const fs::path& path) {
  useTokenizer(checkpoint, readMetaPickle(path), fmt::format(" ({})", path.filename().string()));
  say(checkpoint.info, Topic::Tokenizer,
      fmt::format("{} from {}", counted(static_cast<std::uint64_t>(checkpoint.tokenizer->size()), "character"),
                  path.string()));
}

void chooseTokenizer(const TorchFile& file, const LoadOptions& options, Checkpoint& checkpoint) {
  ModelInfo& info = checkpoint.info;
  if (!options.tokenizer.empty()) {
    useMetaPickle(checkpoint, options.tokenizer);
    return;
  }
  const Value* config = pickle::find(file.root(), "config");
  const Value* dataset = config != nullptr ? pickle::find(*config, "dataset") : nullptr;
  const std::string_view name = dataset != nullptr && dataset->kind == Kind::Text ? dataset->text : std::string_view();
  const auto found = findMetaPickle(info.path, name);
  if (found) {
    try {
      useMetaPickle(checkpoint, *found);
      return;
    } catch (const Error& error) {
      say(info, Topic::Warning, fmt::format("The tokenizer beside the model can't be used. {}", error.what()));
    }
  } else if (info.config.vocabulary >= kGpt2Vocabulary) {
    useTokenizer(checkpoint, tokenizer::gpt2Tokenizer(), "");
    say(info, Topic::Tokenizer,
        "GPT-2 byte-level BPE: there is no meta.pkl, and the vocabulary is as large as GPT-2's");
    return;
  }
  if (!found) {
    say(info, Topic::Warning,
        fmt::format("No tokenizer: there is no meta.pkl beside the checkpoint{}, and {} tokens are too few for "
                    "GPT-2's. Choose one, or give the prompt as token ids.",
                    name.empty() ? std::string() : fmt::format(" or in {}", inQuotes(fmt::format("data/{}", name))),
                    grouped(info.config.vocabulary)));
  }
}

}  // namespace

bool sniff(const TorchFile& file) {
  const Value& root = file.root();
  const Value* model = pickle::find(root, "model");
  return hasOurNames(root) ||
         (model != nullptr && (pickle::find(root, "model_args") != nullptr || hasOurNames(*model)));
}

Checkpoint load(const TorchFile& file, const LoadOptions& options, const Progress& progress) {
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
  const Weights weights = describeWeights(file, *model, config.numbers);
  TorchFile::Reading reading = file.read(weights.tensors, progress);

  Checkpoint checkpoint;
  ModelInfo& info = checkpoint.info;
  info.path = file.file().path();
  info.name = titleOf(info.path);
  info.config = config.numbers;
  info.bytesRead = reading.bytes;
  info.config.tiedHead = tieHead(reading.tensors, info);
  info.storedType = storedTypes(reading.tensors);
  info.parameters = parameterCount(reading.tensors);
  reportFamily(file, info);
  reportVersion(root, config, info);
  reportWeights(file, root, config, weights, reading, info);
  progress.report(1, "checking the weights");
  for (std::string& warning : weightWarnings(reading.tensors)) say(info, Topic::Warning, std::move(warning));
  checkpoint.tensors = std::move(reading.tensors);
  chooseTokenizer(file, options, checkpoint);
  return checkpoint;
}

std::string distance(const std::vector<std::string>& names) {
  std::vector<std::string> theirs = names;
  normalizeNames(theirs);
  ModelConfig oneLayer;
  oneLayer.layers = 1;
  oneLayer.hasBias = false;
  const NameDifference difference = compareNames(expandRows(nanogptTensors(), oneLayer), theirs);
  return fmt::format(
      "The nearest family is nanoGPT, of which {} are missing ({}) and which does not have {}. Open a "
      "checkpoint of nanoGPT's model.py as published.",
      counted(difference.missing.size(), "tensor"), listed(difference.missing, 4), listed(difference.odd, 4));
}

}  // namespace core::checkpoint::nanogpt
