#include "core/checkpoint/nanogpt_config.h"

#include <fmt/format.h>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/contains.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint::nanogpt {

namespace {

using pickle::Kind;
using pickle::Value;

/// The keys of every file. Dropout is for training alone.
constexpr std::string_view kKnown[] = {"n_layer", "n_head", "n_embd", "block_size", "vocab_size", "bias", "dropout"};
/// Keys of forks that shape speed, not what a trained model computes.
constexpr std::string_view kHarmless[] = {"flash", "device", "dtype", "compile"};

[[noreturn]] void fail(ErrorKind kind, const std::string& file, const std::string& what) {
  throw Error(kind, fmt::format("{}: {}. {}", file, what, kSaveWithItsConfig));
}

std::int64_t wholeNumber(const Value& args, std::string_view key, const std::string& file,
                         std::int64_t most = kLargestSize) {
  const Value* value = pickle::find(args, key);
  if (value == nullptr) fail(ErrorKind::Mismatch, file, fmt::format("model_args has no {}", inQuotes(key)));
  if (value->kind != Kind::Int) {
    fail(ErrorKind::Mismatch, file,
         fmt::format("model_args[{}] is {}, not a whole number", inQuotes(key), pickle::describe(*value)));
  }
  if (value->integer < 1 || value->integer > most) {
    fail(ErrorKind::Mismatch, file,
         fmt::format("model_args[{}] is {}; it must be from 1 to {}", inQuotes(key), grouped(value->integer),
                     grouped(most)));
  }
  return value->integer;
}

void readBias(const Value& args, const std::string& file, Config& config) {
  const Value* bias = pickle::find(args, "bias");
  config.biasWasAbsent = bias == nullptr;
  if (bias == nullptr) {
    // The option came in January 2023, the exact GELU on 17 May 2023: such a file was trained with the tanh form.
    config.numbers.trained.gelu = Gelu::Tanh;
    config.numbers.biases = {.qkv = true, .out = true, .mlp = true, .norm = true};
    return;
  }
  if (bias->kind != Kind::Bool) {
    fail(ErrorKind::Mismatch, file,
         fmt::format("model_args['bias'] is {}, not True or False", pickle::describe(*bias)));
  }
  // A LayerNorm has a bias of its own only where the linears have one.
  const bool has = bias->integer != 0;
  config.numbers.biases = {.qkv = has, .out = has, .mlp = has, .norm = has};
}

void sortKeys(const Value& args, const std::string& file, Config& config) {
  for (std::size_t i = 0; i + 1 < args.items.size(); i += 2) {
    const Value& key = *args.items[i];
    const Value& value = *args.items[i + 1];
    if (contains(kKnown, key.text)) continue;
    const bool switchedOff = value.kind == Kind::None || (value.kind == Kind::Bool && value.integer == 0);
    if (!contains(kHarmless, key.text) && !switchedOff) {
      throw Error(ErrorKind::Unsupported,
                  fmt::format("{}: model_args has {} = {}, which nanoGPT's own model does not know: it may change "
                              "what the model computes. Models of nanoGPT's model.py as published open.",
                              file, inQuotes(key.text), pickle::describe(value)));
    }
    config.ignored.emplace_back(key.text);
  }
}

}  // namespace

Config readConfig(const Value& modelArgs, const std::string& file) {
  if (modelArgs.kind != Kind::Dict) {
    fail(ErrorKind::Mismatch, file, fmt::format("'model_args' is {}, not a dict", pickle::describe(modelArgs)));
  }
  Config config;
  ModelConfig& numbers = config.numbers;
  numbers.family = "nanoGPT";
  numbers.layers = static_cast<int>(wholeNumber(modelArgs, "n_layer", file, kMostLayers));
  numbers.heads = static_cast<int>(wholeNumber(modelArgs, "n_head", file));
  numbers.embedding = static_cast<int>(wholeNumber(modelArgs, "n_embd", file));
  numbers.inner = 4 * numbers.embedding;
  numbers.context = wholeNumber(modelArgs, "block_size", file);
  numbers.longestPrompt = numbers.context;
  numbers.vocabulary = wholeNumber(modelArgs, "vocab_size", file);
  numbers.vocabularyRows = numbers.vocabulary;
  if (numbers.embedding % numbers.heads != 0) {
    fail(ErrorKind::Mismatch, file,
         fmt::format("model_args: n_embd = {} is no multiple of n_head = {}", numbers.embedding, numbers.heads));
  }
  numbers.kvHeads = numbers.heads;
  numbers.headSize = numbers.embedding / numbers.heads;
  numbers.windowRule.shortWindow = shareOfContext(numbers.context, 4);
  numbers.trained.windows.assign(static_cast<std::size_t>(numbers.layers), Window());
  readBias(modelArgs, file, config);
  sortKeys(modelArgs, file, config);
  return config;
}

}  // namespace core::checkpoint::nanogpt
