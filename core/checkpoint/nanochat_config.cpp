#include "core/checkpoint/nanochat_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/contains.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint::nanochat {

namespace {

constexpr std::string_view kKnown[] = {"sequence_len", "vocab_size", "n_layer",       "n_head",
                                       "n_kv_head",    "n_embd",     "window_pattern"};
constexpr std::int64_t kPadding = 64;       // rows of the embedding table are rounded up to it
constexpr std::int64_t kRopeContexts = 10;  // RoPE angles are made for ten contexts
constexpr double kSoftCap = 15;
constexpr int kSmearChannels = 24;                        // more than a value gate's where there are both
constexpr double kFloatEpsilon = 1.1920928955078125e-07;  // rms_norm without eps takes the type's own

/// How wide S is.
enum class ShortWindow { None, Half, Third, Quarter };

/// What the file does not say but its keys and shapes tell. Source: nanochat's history, October 2025 to July 2026.
struct Version {
  const char* name;
  bool lambdas;
  int gateChannels;
  bool smear;
  double qkMultiplier;
  double ropeBase;
  ShortWindow shortWindow;
  double gateScale;
  const char* absent;  ///< parts of later versions, for the report
};

constexpr Version kVersions[] = {
    {"October 2025 to 10 January 2026", false, 0, false, 1, 10000, ShortWindow::None, 0,
     "resid_lambdas (taken as 1), x0_lambdas (taken as 0), value embeddings, smear and backout (none)"},
    {"11 to 15 January 2026", true, 0, false, 1, 10000, ShortWindow::Half, 0,
     "value embeddings, smear and backout (none)"},
    {"16 January to 8 March 2026", true, 32, false, 1, 10000, ShortWindow::Half, 2, "smear and backout (none)"},
    {"9 to 13 March 2026", true, 12, false, 1.15, 100000, ShortWindow::Third, 3, "smear and backout (none)"},
    {"from 14 March 2026", true, 12, true, 1.2, 100000, ShortWindow::Quarter, 3, ""},
};

struct Fail {
  const std::string& file;
  [[noreturn]] void operator()(ErrorKind kind, const std::string& what) const {
    throw Error(kind, fmt::format("{}: {}. {}", file, what, kSaveTogether));
  }
};

/// The tensor whose name ends so, whatever wrapped it.
std::optional<std::string> ending(const TensorStore& tensors, std::string_view end) {
  for (const std::string& name : tensors.names()) {
    if (name == end || (name.ends_with(end) && name[name.size() - end.size() - 1] == '.')) return name;
  }
  return std::nullopt;
}

const Version& versionOf(const TensorStore& tensors) {
  for (const std::string& name : tensors.names()) {
    if (name.find("bigram_") == std::string::npos) continue;
    throw Error(
        ErrorKind::Unsupported,
        fmt::format("{}: it has the tensor {}: bigram embeddings were an experiment of nanochat in late January "
                    "2026, whose arithmetic is not built here. Open a model of a published version.",
                    tensors.fileOf(name), inQuotes(name)));
  }
  const auto gate = ending(tensors, "ve_gate.weight");
  const auto shape = gate ? tensors.describe(*gate).shape : std::vector<std::int64_t>();
  const std::int64_t channels = shape.size() == 2 ? shape[1] : 0;
  const bool lambdas = ending(tensors, "resid_lambdas").has_value();
  const bool smear = ending(tensors, "smear_gate.weight").has_value();
  for (const Version& version : kVersions) {
    if (version.lambdas == lambdas && version.gateChannels == channels && version.smear == smear) return version;
  }
  throw Error(
      ErrorKind::Unsupported,
      fmt::format("{}: it is a nanochat model of no version known here: {} resid_lambdas, {}, {} smear_gate. Known are "
                  "those from October 2025 to July 2026, whose ve_gate has 32 or 12 channels. Open one of those.",
                  tensors.fileOf({}), lambdas ? "with" : "without",
                  gate ? fmt::format("{} of the shape {}", inQuotes(*gate), shapeText(shape)) : "no ve_gate",
                  smear ? "with" : "without"));
}

void readSizes(const Json& config, const std::string& file, ModelConfig& numbers) {
  const Fail fail{file};
  const auto size = [&](std::string_view key) { return sizeAt(config, key, file + ": model_config", kSaveTogether); };
  numbers.layers = layersAt(config, "n_layer", file + ": model_config", kSaveTogether);
  numbers.heads = static_cast<int>(size("n_head"));
  numbers.kvHeads = static_cast<int>(size("n_kv_head"));
  numbers.embedding = static_cast<int>(size("n_embd"));
  numbers.context = size("sequence_len");
  numbers.vocabulary = size("vocab_size");
  if (numbers.embedding % numbers.heads != 0) {
    fail(ErrorKind::Mismatch,
         fmt::format("model_config: n_embd = {} is no multiple of n_head = {}", numbers.embedding, numbers.heads));
  }
  if (numbers.heads % numbers.kvHeads != 0) {
    fail(ErrorKind::Mismatch,
         fmt::format("model_config: n_head = {} is no multiple of n_kv_head = {}", numbers.heads, numbers.kvHeads));
  }
  numbers.headSize = numbers.embedding / numbers.heads;
  if (numbers.headSize % 2 != 0) {
    fail(ErrorKind::Mismatch,
         fmt::format("model_config: n_embd / n_head = {} is odd, but RoPE turns pairs", numbers.headSize));
  }
  numbers.inner = 4 * numbers.embedding;
  numbers.longestPrompt = kRopeContexts * numbers.context;
}

/// Gates look at the first channels of the hidden state.
void requireWidth(const std::string& file, const ModelConfig& numbers) {
  const int channels = numbers.nanochat.smear ? kSmearChannels : numbers.nanochat.gateChannels;
  if (numbers.embedding >= channels) return;
  throw Error(ErrorKind::Mismatch, fmt::format("{}: model_config: n_embd = {}, but this version's gates look at {} "
                                               "channels. {}",
                                               file, numbers.embedding, channels, kSaveTogether));
}

/// Rows of the table: as many as the vocabulary, or that rounded up. Any other number is left to the shape check.
std::int64_t rowsOf(const TensorStore& tensors, std::int64_t vocabulary) {
  const std::int64_t padded = (vocabulary + kPadding - 1) / kPadding * kPadding;
  const auto table = ending(tensors, "wte.weight");
  if (!table) return padded;
  const auto shape = tensors.describe(*table).shape;
  return !shape.empty() && shape[0] == vocabulary ? vocabulary : padded;
}

void readWindows(const Json& config, const std::string& file, const Version& version, Config& result) {
  const Fail fail{file};
  ModelConfig& numbers = result.numbers;
  WindowRule& rule = numbers.windowRule;
  const auto found = config.find("window_pattern");
  rule.pattern = "L";
  if (found == config.end()) {
    result.defaults.emplace_back("window_pattern (taken as \"L\")");
  } else if (!found->is_string()) {
    fail(ErrorKind::Mismatch, fmt::format("model_config: window_pattern is {}, not a text of S and L", shown(*found)));
  } else {
    rule.pattern = found->get<std::string>();
  }
  if (rule.pattern.size() > static_cast<std::size_t>(numbers.layers)) {
    fail(ErrorKind::Mismatch,
         fmt::format("model_config: window_pattern {} has {} letters, the model {}", inQuotes(rule.pattern),
                     rule.pattern.size(), counted(static_cast<std::uint64_t>(numbers.layers), "layer")));
  }
  const std::int64_t context = numbers.context;
  std::string width;
  switch (version.shortWindow) {
    case ShortWindow::None: rule.shortWindow = shareOfContext(context, 4); break;
    case ShortWindow::Half:
      rule.shortWindow = {context / 2};
      width = "half the context";
      break;
    case ShortWindow::Third:
      rule.shortWindow = shareOfContext(context, 3);
      width = "a third of the context, up to a multiple of 128";
      break;
    case ShortWindow::Quarter:
      rule.shortWindow = shareOfContext(context, 4);
      width = "a quarter of the context, up to a multiple of 128";
      break;
  }
  if (version.shortWindow != ShortWindow::None) rule.longWindow = {context};
  try {
    numbers.trained.windows = windowsOf(rule.pattern, numbers.layers, rule);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: model_config: {} {}", file, error.what(), kSaveTogether));
  }
  if (version.shortWindow == ShortWindow::None) {
    if (rule.pattern.find_first_not_of("lL") != std::string::npos) {
      fail(ErrorKind::Unsupported, fmt::format("model_config: window_pattern is {}, but the tensors are of the version "
                                               "of {}, which had no windows",
                                               inQuotes(rule.pattern), version.name));
    }
    rule.origin = "no windows in this version";
    return;
  }
  rule.origin = fmt::format("window_pattern {}; S is {} ({} keys before the query), L the context; by the version",
                            inQuotes(rule.pattern), width, grouped(rule.shortWindow.left));
}

}  // namespace

Config readConfig(const Json& meta, const std::string& file, const TensorStore& tensors) {
  const Fail fail{file};
  const Json given = meta.value("model_config", Json());
  if (!given.is_object()) {
    fail(ErrorKind::Mismatch, "it has no 'model_config', which says how many layers and heads there are");
  }
  const Version& version = versionOf(tensors);
  Config result;
  ModelConfig& numbers = result.numbers;
  numbers.family = "nanochat";
  numbers.version = version.name;
  readSizes(given, file, numbers);
  numbers.vocabularyRows = rowsOf(tensors, numbers.vocabulary);
  numbers.norm = Norm::RmsNorm;
  numbers.normEpsilon = kFloatEpsilon;
  numbers.positions = Positions::Rotary;
  numbers.ropeDirection = RopeDirection::Backward;
  numbers.qkNorm = QkNorm::Unit;
  numbers.mlp = Mlp::ReluSquared;
  numbers.nanochat = {.embeddingNorm = true,
                      .lambdas = version.lambdas,
                      .gateChannels = version.gateChannels,
                      .gateScale = version.gateScale,
                      .smear = version.smear};
  requireWidth(file, numbers);
  numbers.trained.qkMultiplier = version.qkMultiplier;
  numbers.trained.ropeBase = version.ropeBase;
  numbers.trained.softCap = kSoftCap;
  readWindows(given, file, version, result);
  if (*version.absent != '\0') result.defaults.emplace_back(version.absent);
  for (const auto& [key, value] : given.items()) {
    if (contains(kKnown, key)) continue;
    if (!value.is_null() && value != false) {
      throw Error(
          ErrorKind::Unsupported,
          fmt::format("{}: model_config has {} = {}, which no version of nanochat known here has: it may change "
                      "what the model computes. Models of nanochat from October 2025 to July 2026 open.",
                      file, inQuotes(key), shown(value)));
    }
    result.ignored.push_back(key);
  }
  return result;
}

}  // namespace core::checkpoint::nanochat
