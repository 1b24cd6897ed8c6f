#include "core/checkpoint/gguf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/printable.h"
#include "core/error.h"

namespace core::checkpoint::gguf {

namespace {

constexpr std::string_view kArchitectureKey = "general.architecture";
constexpr std::string_view kRopeFactors = "rope_freqs.weight";

struct Architecture {
  std::string_view name;    ///< general.architecture, with which its keys begin
  std::string_view family;  ///< as ModelConfig::family
  Positions positions = Positions::Rotary;
  QkNorm qkNorm = QkNorm::None;
  RotaryRows rows = RotaryRows::Halves;
};

// Only for llama the converter turns the rows of q and k.
constexpr Architecture kArchitectures[] = {
    {.name = "llama", .family = "Llama", .rows = RotaryRows::Pairs},
    {.name = "qwen2", .family = "Qwen2"},
    {.name = "qwen3", .family = "Qwen3", .qkNorm = QkNorm::Weighted},
    {.name = "gpt2", .family = "GPT-2", .positions = Positions::Learned},
};

/// Keys that change the arithmetic, and the value that leaves it alone; so does 0, which stands for "not set".
struct Guard {
  std::string_view key;  ///< behind the architecture's name
  double harmless;
};
constexpr Guard kGuards[] = {{"expert_count", 0},
                             {"expert_used_count", 0},
                             {"attention.max_alibi_bias", 0},
                             {"attention.clamp_kqv", 0},
                             {"attn_logit_softcapping", 0},
                             {"final_logit_softcapping", 0},
                             {"attention.scale", 0},
                             {"logit_scale", 1},
                             {"residual_scale", 1},
                             {"embedding_scale", 1},
                             {"attention.shared_kv_layers", 0},
                             {"rope.scaling.attn_factor", 1}};

/// The keys of one architecture.
class Keys {
 public:
  Keys(const GgufMetadata& metadata, const Architecture& architecture)
      : m_metadata(metadata), m_architecture(architecture) {}

  std::string full(std::string_view key) const { return fmt::format("{}.{}", m_architecture.name, key); }

  /// Whole numbers from 1 to `most`.
  std::int64_t size(std::string_view key, std::int64_t most = kLargestSize) const {
    const auto size = sizeWhereSet(key, most);
    if (!size) mismatch(fmt::format("the key {} is not there", inQuotes(full(key))));
    return *size;
  }

  std::optional<std::int64_t> sizeWhereSet(std::string_view key, std::int64_t most = kLargestSize) const {
    const auto numbers = m_metadata.wholeNumbers(full(key), kMostLayers);
    if (!numbers) return std::nullopt;
    // Some models have a number for each layer.
    const bool same = !numbers->empty() &&
                      std::adjacent_find(numbers->begin(), numbers->end(), std::not_equal_to()) == numbers->end();
    if (!same) {
      unsupported(
          fmt::format("the key {} is a list of {} in which not all are equal: layers of different sizes are "
                      "not built",
                      inQuotes(full(key)), counted(numbers->size(), "number")));
    }
    const std::uint64_t number = numbers->front();
    if (number < 1 || number > static_cast<std::uint64_t>(most)) {
      mismatch(fmt::format("the key {} is {}; it must be a whole number from 1 to {}", inQuotes(full(key)),
                           grouped(number), grouped(most)));
    }
    return static_cast<std::int64_t>(number);
  }

  std::optional<double> positive(std::string_view key) const {
    const auto number = m_metadata.number(full(key));
    if (number && !(*number > 0 && std::isfinite(*number)))
      mismatch(fmt::format("the key {} is {}; it must be a finite number above 0", inQuotes(full(key)), *number));
    return number;
  }

  double required(std::string_view key) const {
    const auto number = positive(key);
    if (!number) mismatch(fmt::format("the key {} is not there", inQuotes(full(key))));
    return *number;
  }

  bool has(std::string_view key) const { return m_metadata.has(full(key)); }
  std::optional<double> number(std::string_view key) const { return m_metadata.number(full(key)); }
  std::optional<bool> truth(std::string_view key) const { return m_metadata.truth(full(key)); }
  std::optional<std::string_view> text(std::string_view key) const { return m_metadata.text(full(key)); }

  [[noreturn]] void mismatch(const std::string& what) const {
    throw Error(ErrorKind::Mismatch, fmt::format("{}: {}. {}", m_metadata.origin(), what, kConvertAgain));
  }
  [[noreturn]] void unsupported(const std::string& what) const {
    throw Error(ErrorKind::Unsupported, fmt::format("{}: {}. Open a model without it.", m_metadata.origin(), what));
  }

 private:
  const GgufMetadata& m_metadata;
  const Architecture& m_architecture;
};

/// Errors: NotAModel for what is no model by itself.
void requireModel(const GgufMetadata& metadata) {
  const auto found = metadata.values().find("general.type");
  if (found == metadata.values().end() || found->second.isList || found->second.type != GgufValueType::Text) return;
  const std::string_view type = *metadata.text("general.type");
  if (type == "model") return;
  throw Error(
      ErrorKind::NotAModel,
      fmt::format("{}: it is no model by itself but, by its key 'general.type', {}{}. Open the file of the model "
                  "that it belongs to.",
                  metadata.origin(), inQuotes(type),
                  type == "adapter" ? " (LoRA); merged into a model it would open" : ""));
}

const Architecture& identify(const GgufMetadata& metadata) {
  requireModel(metadata);
  const auto name = metadata.text(kArchitectureKey);
  if (!name) {
    throw Error(ErrorKind::Mismatch, fmt::format("{}: the key {} is not there, which says what model it is. {}",
                                                 metadata.origin(), inQuotes(kArchitectureKey), kConvertAgain));
  }
  const auto* known = std::find_if(std::begin(kArchitectures), std::end(kArchitectures),
                                   [&](const Architecture& architecture) { return architecture.name == *name; });
  if (known != std::end(kArchitectures)) return *known;
  throw Error(ErrorKind::Unsupported,
              fmt::format("{}: the architecture ({}) is {}; read are {}. Open a model of one of these.",
                          metadata.origin(), kArchitectureKey, inQuotes(*name), architectures()));
}

void refuseOtherArithmetic(const Keys& keys) {
  for (const Guard& guard : kGuards) {
    const auto value = keys.number(guard.key);
    if (value.value_or(0) != 0 && *value != guard.harmless) {
      keys.unsupported(fmt::format("the key {} is {}, which is not built", inQuotes(keys.full(guard.key)), *value));
    }
  }
  if (!keys.truth("attention.causal").value_or(true))
    keys.unsupported(
        fmt::format("the key {} is false: it is no model that writes", inQuotes(keys.full("attention.causal"))));
}

bool has(const TensorStore& store, const std::string& name) {
  return std::binary_search(store.names().begin(), store.names().end(), name);
}

/// Whether a tensor in any layer has one of these endings.
bool hasAny(const TensorStore& store, std::initializer_list<std::string_view> endings) {
  return std::any_of(store.names().begin(), store.names().end(), [&](const std::string& name) {
    return std::any_of(endings.begin(), endings.end(), [&](auto ending) { return name.ends_with(ending); });
  });
}

void readHeads(const Keys& keys, ModelConfig& numbers) {
  numbers.heads = static_cast<int>(keys.size("attention.head_count"));
  numbers.kvHeads = static_cast<int>(keys.sizeWhereSet("attention.head_count_kv").value_or(numbers.heads));
  if (numbers.heads % numbers.kvHeads != 0) {
    keys.mismatch(fmt::format("{} = {} is no multiple of {} = {}", keys.full("attention.head_count"), numbers.heads,
                              keys.full("attention.head_count_kv"), numbers.kvHeads));
  }
  const auto keyLength = keys.sizeWhereSet("attention.key_length");
  if (!keyLength && numbers.embedding % numbers.heads != 0) {
    keys.mismatch(fmt::format("{} = {} is no multiple of {} = {}", keys.full("embedding_length"), numbers.embedding,
                              keys.full("attention.head_count"), numbers.heads));
  }
  const std::int64_t headSize = keyLength.value_or(numbers.embedding / numbers.heads);
  if (headSize * numbers.heads > kLargestSize) {
    keys.mismatch(fmt::format("{} heads of {} are more than {}", numbers.heads, headSize, grouped(kLargestSize)));
  }
  numbers.headSize = static_cast<int>(headSize);
  if (const auto values = keys.sizeWhereSet("attention.value_length"); values.value_or(headSize) != headSize) {
    keys.unsupported(fmt::format("{} is {} and {} is {}: values of another size than keys are not built",
                                 keys.full("attention.value_length"), *values, keys.full("attention.key_length"),
                                 headSize));
  }
}

/// With the vocabulary, which is as large as the embedding table.
void readVocabulary(const Keys& keys, const TensorStore& store, ModelConfig& numbers) {
  constexpr const char* kTable = "token_embd.weight";
  if (!has(store, kTable)) keys.mismatch(fmt::format("the tensor '{}' is not there", kTable));
  const StoredTensor table = store.describe(kTable);
  if (table.shape.size() != 2 || table.shape[0] > kLargestSize) {
    keys.mismatch(fmt::format("the tensor '{}' has the shape {}; it must be (vocabulary, {})", kTable,
                              shapeText(table.shape), numbers.embedding));
  }
  numbers.vocabulary = numbers.vocabularyRows = table.shape[0];
  if (const auto size = keys.sizeWhereSet("vocab_size"); size.value_or(table.shape[0]) != table.shape[0]) {
    keys.mismatch(fmt::format("{} is {}, but the tensor '{}' has {} rows", keys.full("vocab_size"), grouped(*size),
                              kTable, grouped(table.shape[0])));
  }
}

void readWindow(const Keys& keys, ModelConfig& numbers) {
  numbers.trained.windows.assign(static_cast<std::size_t>(numbers.layers), Window{});
  numbers.windowRule.shortWindow = shareOfContext(numbers.context, 4);
  const auto width = keys.number("attention.sliding_window");
  if (width.value_or(0) == 0) return;
  if (keys.has("attention.sliding_window_pattern")) {
    keys.unsupported(fmt::format("the key {} says that some layers have a window, which is not built",
                                 inQuotes(keys.full("attention.sliding_window_pattern"))));
  }
  const std::int64_t size = keys.size("attention.sliding_window");
  const Window window{size - 1};
  numbers.windowRule.shortWindow = window;
  numbers.windowRule.origin = fmt::format("{} {}", keys.full("attention.sliding_window"), size);
  std::fill(numbers.trained.windows.begin(), numbers.trained.windows.end(), window);
}

/// As llama.cpp: a factor without a rule is a linear one, under its old key too.
void readRopeScaling(const Keys& keys, const TensorStore& store, ModelConfig& numbers) {
  RopeScaling& scaling = numbers.ropeScaling;
  const std::string_view rule = keys.text("rope.scaling.type").value_or("linear");
  if (rule != "linear" && rule != "none") {
    keys.unsupported(fmt::format("the RoPE rule ({}) is {}; built are 'none', 'linear' and factors for each frequency",
                                 keys.full("rope.scaling.type"), inQuotes(rule)));
  }
  const char* key = keys.has("rope.scaling.factor") ? "rope.scaling.factor" : "rope.scale_linear";
  const double divisor = keys.number(key).value_or(1) == 0 ? 1 : keys.positive(key).value_or(1);  // 0: not set
  if (rule == "linear" && divisor != 1) {
    scaling.rule = RopeScaling::Rule::Linear;
    scaling.factor = divisor;
  }
  if (!has(store, std::string(kRopeFactors))) return;
  if (scaling.rule == RopeScaling::Rule::Linear) {
    keys.unsupported(
        fmt::format("it has both the tensor '{}' and a linear {}", kRopeFactors, keys.full("rope.scaling.factor")));
  }
  scaling.rule = RopeScaling::Rule::Factors;
}

void readRotary(const Keys& keys, const Architecture& architecture, const TensorStore& store, Config& config) {
  ModelConfig& numbers = config.numbers;
  if (numbers.headSize % 2 != 0)
    keys.mismatch(fmt::format("a head has {} numbers, which is odd: RoPE turns pairs", numbers.headSize));
  const auto turned = keys.sizeWhereSet("rope.dimension_count");
  if (turned.value_or(numbers.headSize) != numbers.headSize) {
    keys.unsupported(
        fmt::format("{} is {} of the {} numbers of a head: RoPE that turns a part of the head is not built",
                    keys.full("rope.dimension_count"), *turned, numbers.headSize));
  }
  numbers.norm = Norm::RmsNorm;
  numbers.normEpsilon = keys.required("attention.layer_norm_rms_epsilon");
  numbers.positions = Positions::Rotary;
  numbers.qkNorm = architecture.qkNorm;
  numbers.mlp = Mlp::SwiGlu;
  const auto base = keys.positive("rope.freq_base");
  if (!base) config.defaults.push_back(fmt::format("{} 10000", keys.full("rope.freq_base")));
  numbers.trained.ropeBase = base.value_or(10000);
  readRopeScaling(keys, store, numbers);
  const bool packed = has(store, "blk.0.attn_qkv.weight");
  config.family = packed ? kGgufLlamaPacked : kGgufLlama;
  numbers.biases.qkv = hasAny(store, {".attn_qkv.bias", ".attn_q.bias", ".attn_k.bias", ".attn_v.bias"});
  numbers.biases.out = hasAny(store, {".attn_output.bias"});
  numbers.biases.mlp = hasAny(store, {".ffn_gate.bias", ".ffn_up.bias", ".ffn_down.bias"});
}

void readGpt2(const Keys& keys, Config& config) {
  ModelConfig& numbers = config.numbers;
  numbers.norm = Norm::LayerNorm;
  numbers.normEpsilon = keys.required("attention.layer_norm_epsilon");
  numbers.positions = Positions::Learned;
  numbers.mlp = Mlp::Gelu;
  numbers.biases = {.qkv = true, .out = true, .mlp = true, .norm = true};
  numbers.trained.gelu = Gelu::Tanh;  // the only one that GGUF has
  config.family = kGgufGpt2;
}

}  // namespace

std::string architectures() {
  std::string names;
  for (const Architecture& architecture : kArchitectures) {
    const bool isLast = &architecture == std::prev(std::end(kArchitectures));
    names.append(names.empty() ? "" : isLast ? " and " : ", ").append(architecture.name);
  }
  return names;
}

Config readConfig(const GgufMetadata& metadata, const TensorStore& store) {
  const Architecture& architecture = identify(metadata);
  const Keys keys(metadata, architecture);
  refuseOtherArithmetic(keys);
  Config config;
  ModelConfig& numbers = config.numbers;
  numbers.family = architecture.family;
  numbers.layers = static_cast<int>(keys.size("block_count", kMostLayers));
  numbers.context = numbers.longestPrompt = keys.size("context_length");
  numbers.embedding = static_cast<int>(keys.size("embedding_length"));
  numbers.inner = static_cast<int>(keys.size("feed_forward_length"));
  readHeads(keys, numbers);
  readVocabulary(keys, store, numbers);
  config.layersKey = keys.full("block_count");
  config.rows = architecture.rows;
  if (architecture.positions == Positions::Rotary) {
    readRotary(keys, architecture, store, config);
  } else {
    readGpt2(keys, config);
  }
  config.family.name = architecture.family;
  readWindow(keys, numbers);
  return config;
}

}  // namespace core::checkpoint::gguf
