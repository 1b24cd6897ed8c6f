#include "core/checkpoint/nanochat_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/nanochat_config.h"
#include "core/checkpoint/printable.h"
#include "core/checkpoint/stores.h"
#include "core/checkpoint/tokenizer_choice.h"
#include "core/error.h"

namespace core::checkpoint::nanochat {

namespace fs = std::filesystem;

namespace {

using pickle::Kind;
using pickle::Value;
using Topic = ReportLine::Topic;

constexpr int kFoldersUp = 3;  // from base_checkpoints/d4 to the folder that has tokenizer/
/// Where nanochat keeps the steps of each kind of training, a folder a model inside.
constexpr std::string_view kKinds[] = {"base_checkpoints", "mid_checkpoints", "chatsft_checkpoints",
                                       "chatrl_checkpoints"};

/// "000100" of "model_000100.pt"; nothing for other names.
std::optional<std::string> digitsOf(const fs::path& file, std::string_view before, std::string_view after) {
  const std::string name = file.filename().string();
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) return {};
  std::string digits = name.substr(before.size(), name.size() - before.size() - after.size());
  const bool all = std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return all && digits.size() <= 12 ? std::optional(digits) : std::nullopt;
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    paths.push_back(entry->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// The steps in one folder, the last first. `label` goes before each.
std::vector<Openable> stepsIn(const fs::path& folder, const std::string& label) {
  std::vector<Openable> steps;
  for (const fs::path& path : entriesOf(folder)) {
    const auto digits = digitsOf(path, "model_", ".pt");
    if (!digits) continue;
    const std::int64_t step = std::stoll(*digits);
    steps.push_back({path, fmt::format("{}step {}", label, grouped(step)), step});
  }
  std::sort(steps.begin(), steps.end(), [](const Openable& a, const Openable& b) { return a.step > b.step; });
  return steps;
}

bool hasOurNames(const Value& dict) {
  if (dict.kind != Kind::Dict) return false;
  std::vector<std::string> names = pickle::keyTexts(dict);
  normalizeNames(names, kNanochat);
  return std::find(names.begin(), names.end(), "transformer.h.0.attn.c_q.weight") != names.end();
}

/// A state_dict of an optimizer, or a list of them as nanochat saved at first.
bool isOptimizer(const Value& root) {
  const Value& first = root.kind == Kind::List && !root.items.empty() ? *root.items[0] : root;
  return pickle::find(first, "param_groups") != nullptr && pickle::find(first, "state") != nullptr;
}

/// The files of a set.
struct Set {
  fs::path model;
  fs::path meta;
};

[[noreturn]] void throwMissing(const fs::path& opened, const fs::path& missing) {
  throw Error(ErrorKind::NotFound,
              fmt::format("{}: the file {} of this nanochat checkpoint is not beside it. Copy it from where the model "
                          "was trained.",
                          opened.string(), inQuotes(missing.filename().string())));
}

Set setOf(const Content& content) {
  std::error_code ignored;
  const fs::path folder = content.folder();
  if (content.json) {
    const auto digits = digitsOf(content.path, "meta_", ".json");
    const fs::path model = folder / (digits ? "model_" + *digits + ".pt" : "model_<step>.pt");
    if (!fs::exists(model, ignored)) throwMissing(content.path, model);
    return {model, content.path};
  }
  const auto digits = digitsOf(content.path, "model_", ".pt");
  if (digits) {
    const fs::path meta = folder / ("meta_" + *digits + ".json");
    if (!fs::exists(meta, ignored)) throwMissing(content.path, meta);
    return {content.path, meta};
  }
  // A renamed model: the only meta file there is its own.
  std::vector<fs::path> metas;
  for (const fs::path& path : entriesOf(folder)) {
    if (digitsOf(path, "meta_", ".json")) metas.push_back(path);
  }
  if (metas.size() != 1) throwMissing(content.path, folder / "meta_<step>.json");
  return {content.path, metas[0]};
}

[[noreturn]] void refuseOptimizer(const Content& content) {
  const std::string model = modelNameOf(content.path);
  const std::string advice =
      model.empty() ? "Open the model's file" : fmt::format("Open {} beside it", inQuotes(model));
  throw Error(ErrorKind::NotAModel,
              fmt::format("{}: it is the state of an optimizer, not a model. {}.", content.path.string(), advice));
}

std::string titleOf(const fs::path& model) {
  const fs::path folder = model.parent_path();
  const std::string kind = folder.parent_path().filename().string();
  const std::string name = folder.filename().string();
  return kind.ends_with("_checkpoints") ? fmt::format("{} ({})", name, kind) : name;
}

fs::path findTokenizer(const fs::path& folder) {
  std::error_code ignored;
  fs::path above = folder;
  for (int i = 0; i <= kFoldersUp; ++i, above = above.parent_path()) {
    for (const char* name : {"tokenizer/tokenizer.pkl", "tokenizer.pkl"}) {
      if (fs::is_regular_file(above / name, ignored)) return above / name;
    }
  }
  return {};
}

void report(const Config& config, const std::string& metaName, const Json& meta, ModelInfo& info) {
  const RunSettings& trained = info.config.trained;
  say(info, Topic::Family, fmt::format("nanochat: {}", sizesText(info.config)));
  say(info, Topic::Version,
      fmt::format("nanochat ({}), told by its tensors' names and shapes: q and k times {}, RoPE base {}, soft cap {}",
                  info.config.version, trained.qkMultiplier, grouped(static_cast<std::int64_t>(trained.ropeBase)),
                  trained.softCap));
  if (info.config.nanochat.gateChannels == 32)
    say(info, Topic::Version, "files from 2 March 2026 on were trained with a soft cap of 20, which no file tells");
  say(info, Topic::Version, fmt::format("windows: {}", info.config.windowRule.origin));
  if (const auto step = meta.find("step"); step != meta.end() && step->is_number_integer())
    say(info, Topic::Version, fmt::format("saved at step {} ({})", grouped(step->get<std::int64_t>()), metaName));
  for (const std::string& absent : config.defaults) say(info, Topic::Patched, fmt::format("not there: {}", absent));
  if (!config.ignored.empty())
    say(info, Topic::Ignored, fmt::format("model_config without effect: {}", listed(config.ignored)));
  if (info.config.vocabularyRows > info.config.vocabulary) {
    say(info, Topic::Ignored,
        fmt::format("{} rows of padding after the vocabulary's {}",
                    grouped(info.config.vocabularyRows - info.config.vocabulary), grouped(info.config.vocabulary)));
  }
}

}  // namespace

std::vector<Openable> inFolder(const fs::path& folder) {
  std::vector<Openable> steps = stepsIn(folder, "");
  if (!steps.empty()) return steps;
  const bool isKind = std::find(std::begin(kKinds), std::end(kKinds), folder.filename().string()) != std::end(kKinds);
  const auto addModels = [&](const fs::path& kind, const std::string& label) {
    for (const fs::path& model : entriesOf(kind)) {
      auto of = stepsIn(model, fmt::format("{}{}, ", label, model.filename().string()));
      steps.insert(steps.end(), of.begin(), of.end());
    }
  };
  if (isKind) addModels(folder, "");
  for (const std::string_view kind : kKinds) addModels(folder / kind, fmt::format("{}/", kind));
  return steps;
}

std::string modelNameOf(const fs::path& optimizer) {
  const std::string name = optimizer.filename().string();
  const std::size_t end = name.find("_rank");
  if (!name.starts_with("optim_") || end == std::string::npos) return {};
  return "model_" + name.substr(6, end - 6) + ".pt";
}

bool sniff(const Content& content) {
  if (content.json) return content.json->contains("model_config");
  return content.torch && (hasOurNames(content.torch->root()) || isOptimizer(content.torch->root()));
}

std::vector<fs::path> weightFiles(const Content& content) { return {setOf(content).model}; }

Checkpoint load(Content& content, const LoadOptions& options, const Progress& progress) {
  if (content.torch && !hasOurNames(content.torch->root())) refuseOptimizer(content);
  const Set set = setOf(content);
  Content model;
  if (content.json) model = openContent(File(set.model));
  const Content& weights = content.json ? model : content;
  if (!weights.torch) {
    throw Error(ErrorKind::NotAModel, fmt::format("{}: it is no torch file, as nanochat's models are. {}",
                                                  set.model.string(), kSaveTogether));
  }
  const Json meta = content.json ? std::move(*content.json) : readJson(File(set.meta), kConfigJson);
  if (!meta.is_object()) {
    throw Error(ErrorKind::Mismatch,
                fmt::format("{}: it holds {}, not an object. {}", set.meta.string(), shown(meta), kSaveTogether));
  }
  const auto store = makeStore(*weights.torch, weights.torch->root(), "the file");
  const Config config = readConfig(meta, set.meta.string(), *store);

  Checkpoint checkpoint;
  ModelInfo& info = checkpoint.info;
  info.path = set.model;
  info.name = titleOf(set.model);
  info.config = config.numbers;
  const std::string metaName = set.meta.filename().string();
  report(config, metaName, meta, info);
  loadWeights(*store, kNanochat, {metaName, "n_layer", std::string(kSaveTogether)}, checkpoint, progress);
  for (const std::string& note : weights.torch->notes()) say(info, Topic::Warning, note);
  chooseTokenizer(checkpoint, options, findTokenizer(set.model.parent_path()),
                  "tokenizer/tokenizer.pkl beside the model or in the folders above it", SpareIds::Mismatch);
  progress.report(1, "done");
  return checkpoint;
}

}  // namespace core::checkpoint::nanochat
