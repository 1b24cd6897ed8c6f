#include "core/checkpoint/huggingface_model_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "core/checkpoint/contains.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

// Source: transformers 5.24, configuration_*.py and modeling_*.py.
constexpr ModelType kModelTypes[] = {
    {.type = "gpt2", .name = "GPT-2", .classes = {"GPT2LMHeadModel", "GPT2Model"}, .positions = Positions::Learned},
    {.type = "llama",
     .name = "Llama",
     .classes = {"LlamaForCausalLM", "LlamaModel"},
     .attentionBias = AttentionBias::ByKey,
     .mlpBias = MlpBias::ByKey},
    {.type = "mistral",
     .name = "Mistral",
     .classes = {"MistralForCausalLM", "MistralModel"},
     .kvHeads = 8,
     .windows = WindowKeys::EveryLayer},
    {.type = "qwen2",
     .name = "Qwen2",
     .classes = {"Qwen2ForCausalLM", "Qwen2Model"},
     .kvHeads = 32,
     .attentionBias = AttentionBias::QkvAlways,
     .windows = WindowKeys::FromALayer},
    {.type = "qwen3",
     .name = "Qwen3",
     .classes = {"Qwen3ForCausalLM", "Qwen3Model"},
     .kvHeads = 32,
     .headSize = 128,
     .attentionBias = AttentionBias::ByKey,
     .windows = WindowKeys::FromALayer,
     .qkNorm = QkNorm::Weighted}};

/// Keys that are about training, generating, saving or another head: no map depends on them.
constexpr std::string_view kWithoutEffect[] = {"_name_or_path",
                                               "architectures",
                                               "attention_dropout",
                                               "attn_pdrop",
                                               "bos_token_id",
                                               "chunk_size_feed_forward",
                                               "dtype",
                                               "embd_pdrop",
                                               "eos_token_id",
                                               "finetuning_task",
                                               "id2label",
                                               "initializer_range",
                                               "label2id",
                                               "model_type",
                                               "num_labels",
                                               "output_attentions",
                                               "output_hidden_states",
                                               "pad_token_id",
                                               "pretraining_tp",
                                               "problem_type",
                                               "reorder_and_upcast_attn",
                                               "resid_pdrop",
                                               "return_dict",
                                               "summary_activation",
                                               "summary_first_dropout",
                                               "summary_proj_to_labels",
                                               "summary_type",
                                               "summary_use_proj",
                                               "task_specific_params",
                                               "tokenizer_class",
                                               "torch_dtype",
                                               "transformers_version",
                                               "use_cache"};
constexpr std::string_view kGpt2Reads[] = {"n_embd",
                                           "n_layer",
                                           "n_head",
                                           "n_positions",
                                           "vocab_size",
                                           "n_inner",
                                           "hidden_size",
                                           "num_hidden_layers",
                                           "num_attention_heads",
                                           "max_position_embeddings",
                                           "layer_norm_epsilon",
                                           "activation_function",
                                           "tie_word_embeddings"};
constexpr std::string_view kRotaryReads[] = {"hidden_size",
                                             "num_hidden_layers",
                                             "num_attention_heads",
                                             "num_key_value_heads",
                                             "head_dim",
                                             "intermediate_size",
                                             "vocab_size",
                                             "max_position_embeddings",
                                             "hidden_act",
                                             "rms_norm_eps",
                                             "tie_word_embeddings",
                                             "rope_theta",
                                             "rope_scaling",
                                             "rope_parameters",
                                             "partial_rotary_factor",
                                             "original_max_position_embeddings",
                                             "layer_types"};
constexpr std::string_view kQwenWindowReads[] = {"use_sliding_window", "max_window_layers", "sliding_window"};

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return lower;
}

/// Old files write "LLaMAForCausalLM".
bool hasClass(const ModelType& type, std::string_view name) {
  return std::any_of(std::begin(type.classes), std::end(type.classes),
                     [&](std::string_view known) { return !known.empty() && lowered(known) == lowered(name); });
}

/// The names in `architectures`. Errors: Mismatch.
std::vector<std::string> architectures(const Keys& config) {
  const Json* list = config.findSet("architectures");
  if (list == nullptr) return {};
  std::vector<std::string> names;
  for (const Json& name : list->is_array() ? *list : Json::array({nullptr})) {
    if (!name.is_string()) config.mismatch("'architectures' is no list of texts");
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

const ModelType& identify(const Keys& config) {
  const std::vector<std::string> names = architectures(config);
  const bool hasType = config.findSet("model_type") != nullptr;
  const std::string wanted = hasType ? config.text("model_type", "") : std::string();
  const ModelType* found = std::find_if(std::begin(kModelTypes), std::end(kModelTypes), [&](const ModelType& type) {
    return hasType ? type.type == wanted : !names.empty() && hasClass(type, names.front());
  });
  const std::string advice = fmt::format("Open a model of one of the types {}.", modelTypes());
  if (found == std::end(kModelTypes)) {
    config.unsupported(hasType          ? fmt::format("the 'model_type' {} is not read", inQuotes(wanted))
                       : !names.empty() ? fmt::format("the architecture {} is not read", listed(names))
                                        : "it has neither 'model_type' nor 'architectures'",
                       advice);
  }
  for (const std::string& name : names) {
    if (hasClass(*found, name)) continue;
    config.unsupported(fmt::format("'architectures' has {}, which is no language model of the 'model_type' {}",
                                   inQuotes(name), inQuotes(found->type)),
                       fmt::format("Open a model that was saved as {}.", found->classes[0]));
  }
  return *found;
}

std::string modelTypes() {
  std::string list;
  constexpr std::size_t kLast = std::size(kModelTypes) - 1;
  for (std::size_t i = 0; i <= kLast; ++i) {
    if (i > 0) list += i == kLast ? " and " : ", ";
    list += kModelTypes[i].type;
  }
  return list;
}

bool isRead(std::string_view key, const ModelType& type) {
  if (type.positions == Positions::Learned) return contains(kGpt2Reads, key);
  if (key == "attention_bias") return type.attentionBias == AttentionBias::ByKey;
  if (key == "mlp_bias") return type.mlpBias == MlpBias::ByKey;
  if (contains(kQwenWindowReads, key))
    return type.windows == WindowKeys::FromALayer ||
           (type.windows == WindowKeys::EveryLayer && key == "sliding_window");
  return contains(kRotaryReads, key);
}

bool isKnownWithoutEffect(std::string_view key) { return contains(kWithoutEffect, key); }

}  // namespace core::checkpoint::huggingface
