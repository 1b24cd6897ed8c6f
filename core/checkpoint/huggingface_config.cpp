#include "core/checkpoint/huggingface_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/huggingface_guards.h"
#include "core/checkpoint/huggingface_keys.h"
#include "core/checkpoint/huggingface_model_type.h"
#include "core/checkpoint/huggingface_rope.h"
#include "core/checkpoint/huggingface_windows.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

/// GPT-2's keys, which its class also takes under the names that other models have.
struct Spelling {
  const char* usual;
  const char* other;
};
constexpr Spelling kGpt2Spellings[] = {{"n_embd", "hidden_size"},
                                       {"n_layer", "num_hidden_layers"},
                                       {"n_head", "num_attention_heads"},
                                       {"n_positions", "max_position_embeddings"}};

struct GeluName {
  std::string_view name;
  Gelu gelu;
};
// Source: transformers, activations.py: the names of the two formulas.
constexpr GeluName kGelus[] = {{"gelu_new", Gelu::Tanh},      {"gelu_pytorch_tanh", Gelu::Tanh},
                               {"gelu_fast", Gelu::Tanh},     {"gelu_python_tanh", Gelu::Tanh},
                               {"gelu_accurate", Gelu::Tanh}, {"gelu", Gelu::Erf},
                               {"gelu_python", Gelu::Erf}};

/// With GPT-2's keys under their usual names. Errors: Mismatch where both are there and differ.
Json withUsualSpelling(const Json& json, const Keys& config) {
  Json usual = json;
  for (const auto& [name, other] : kGpt2Spellings) {
    const Json* value = config.find(other);
    if (value == nullptr) continue;
    if (const Json* same = config.find(name); same != nullptr && *same != *value)
      config.mismatch(
          fmt::format("{} is {}, but {} is {}", inQuotes(name), shown(*same), inQuotes(other), shown(*value)));
    usual[name] = *value;
  }
  return usual;
}

/// Sizes under their keys in both spellings.
struct SizeKeys {
  std::string_view layers, heads, width, context;
};
constexpr SizeKeys kGpt2Sizes = {"n_layer", "n_head", "n_embd", "n_positions"};
constexpr SizeKeys kRotarySizes = {"num_hidden_layers", "num_attention_heads", "hidden_size",
                                   "max_position_embeddings"};

void readSizes(const Keys& config, const SizeKeys& keys, ModelConfig& numbers) {
  const std::int64_t layers = config.size(keys.layers);
  if (layers > kMostLayers) {
    config.mismatch(fmt::format("{} is {}; it must be a whole number from 1 to {}", inQuotes(keys.layers),
                                grouped(layers), grouped(std::int64_t{kMostLayers})));
  }
  numbers.layers = static_cast<int>(layers);
  numbers.heads = static_cast<int>(config.size(keys.heads));
  numbers.embedding = static_cast<int>(config.size(keys.width));
  numbers.context = config.size(keys.context);
  numbers.longestPrompt = numbers.context;
  numbers.vocabulary = config.size("vocab_size");
  numbers.vocabularyRows = numbers.vocabulary;
}

/// D = width / heads. Errors: Mismatch where that is no whole number.
int headSizeFromWidth(const Keys& config, const SizeKeys& keys, const ModelConfig& numbers) {
  if (numbers.embedding % numbers.heads != 0) {
    config.mismatch(
        fmt::format("{} = {} is no multiple of {} = {}", keys.width, numbers.embedding, keys.heads, numbers.heads));
  }
  return numbers.embedding / numbers.heads;
}

void readHeads(Keys& config, const ModelType& type, ModelConfig& numbers) {
  std::int64_t headSize = 0;
  if (type.headSize != kFromWidth) {
    headSize = config.size("head_dim", type.headSize);
  } else {
    headSize = config.sizeWhereSet("head_dim").value_or(0);
    if (headSize == 0) headSize = headSizeFromWidth(config, kRotarySizes, numbers);
  }
  if (headSize * numbers.heads > kLargestSize) {
    config.mismatch(fmt::format("'num_attention_heads' {} of 'head_dim' {} are more than {}", numbers.heads, headSize,
                                grouped(kLargestSize)));
  }
  if (headSize % 2 != 0) config.mismatch(fmt::format("'head_dim' is {}, which is odd: RoPE turns pairs", headSize));
  numbers.headSize = static_cast<int>(headSize);

  const bool absent = config.find("num_key_value_heads") == nullptr;
  const std::int64_t kvHeads = absent && type.kvHeads != kSameAsHeads
                                   ? config.size("num_key_value_heads", type.kvHeads)
                                   : config.sizeWhereSet("num_key_value_heads").value_or(numbers.heads);
  if (absent && type.kvHeads == kSameAsHeads) config.note("num_key_value_heads", std::to_string(kvHeads));
  if (numbers.heads % kvHeads != 0) {
    config.mismatch(
        fmt::format("num_attention_heads = {} is no multiple of num_key_value_heads = {}", numbers.heads, kvHeads));
  }
  numbers.kvHeads = static_cast<int>(kvHeads);
}

void readTie(Keys& config, bool otherwise, ModelConfig& numbers) {
  numbers.tiedHead = config.truth("tie_word_embeddings", otherwise);
  if (config.find("tie_word_embeddings") == nullptr) config.note("tie_word_embeddings", otherwise ? "true" : "false");
}

void readGpt2(Keys& config, ModelConfig& numbers) {
  readSizes(config, kGpt2Sizes, numbers);
  numbers.headSize = headSizeFromWidth(config, kGpt2Sizes, numbers);
  numbers.kvHeads = numbers.heads;
  numbers.inner = static_cast<int>(config.sizeWhereSet("n_inner").value_or(std::int64_t{4} * numbers.embedding));
  numbers.norm = Norm::LayerNorm;
  numbers.normEpsilon = config.positive("layer_norm_epsilon", 1e-5);
  numbers.positions = Positions::Learned;
  numbers.mlp = Mlp::Gelu;
  numbers.biases = {.qkv = true, .out = true, .mlp = true, .norm = true};
  const std::string activation = config.text("activation_function", "gelu_new");
  if (config.find("activation_function") == nullptr) config.note("activation_function", activation);
  const auto* known =
      std::find_if(std::begin(kGelus), std::end(kGelus), [&](const GeluName& gelu) { return gelu.name == activation; });
  if (known == std::end(kGelus)) {
    config.unsupported(fmt::format("the 'activation_function' {} is not built", inQuotes(activation)),
                       "Open a model with 'gelu_new' or 'gelu'.");
  }
  numbers.trained.gelu = known->gelu;
  readTie(config, true, numbers);
}

void readRotary(Keys& config, const ModelType& type, ModelConfig& numbers) {
  readSizes(config, kRotarySizes, numbers);
  numbers.inner = static_cast<int>(config.size("intermediate_size"));
  readHeads(config, type, numbers);
  numbers.norm = Norm::RmsNorm;
  numbers.normEpsilon = config.positive("rms_norm_eps", 1e-6);
  numbers.positions = Positions::Rotary;
  numbers.qkNorm = type.qkNorm;
  numbers.mlp = Mlp::SwiGlu;
  const std::string activation = config.text("hidden_act", "silu");
  if (activation != "silu" && activation != "swish") {
    config.unsupported(fmt::format("the 'hidden_act' {} is not built", inQuotes(activation)),
                       "Open a model with 'silu'.");
  }
  const bool attentionBias = type.attentionBias == AttentionBias::ByKey && config.truth("attention_bias", false);
  numbers.biases.qkv = attentionBias || type.attentionBias == AttentionBias::QkvAlways;
  numbers.biases.out = attentionBias;
  numbers.biases.mlp = type.mlpBias == MlpBias::ByKey && config.truth("mlp_bias", false);
  readTie(config, false, numbers);
}

}  // namespace

Config readConfig(const Json& json, const std::string& file) {
  static const Json kNone = Json::object();
  if (!json.is_object()) Keys(kNone, file).mismatch(fmt::format("it holds {}, not an object", shown(json)));
  const Keys asWritten(json, file);
  const ModelType& type = identify(asWritten);
  refuseOtherArithmetic(asWritten);

  Config config;
  config.numbers.family = type.name;
  const bool isGpt2 = type.positions == Positions::Learned;
  const Json usual = isGpt2 ? withUsualSpelling(json, asWritten) : Json();
  Keys keys(isGpt2 ? usual : json, file);
  if (isGpt2) {
    readGpt2(keys, config.numbers);
  } else {
    readRotary(keys, type, config.numbers);
    readRope(keys, config.numbers, config.ignored);
  }
  readWindows(keys, type.windows, config.numbers, config.warnings);
  config.defaults = keys.defaults();
  for (const auto& [key, value] : json.items()) {
    if (!isRead(key, type) && !isGuarded(key) && !isKnownWithoutEffect(key)) config.ignored.push_back(key);
  }
  return config;
}

}  // namespace core::checkpoint::huggingface
