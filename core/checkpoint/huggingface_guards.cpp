#include "core/checkpoint/huggingface_guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/checkpoint/config_json.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint::huggingface {

namespace {

/// When a key says nothing new. Off: null, false, 0, or empty. One: null or 1. Yes: null or true. Unset: null alone.
enum class Harmless : std::uint8_t { Off, One, Yes, Unset };

struct Guard {
  std::string_view key;
  Harmless harmless;
  std::string_view meaning;
};

// The families' own classes read the first ones; the others belong to models that are otherwise like these.
constexpr Guard kGuards[] = {
    {"scale_attn_weights", Harmless::Yes, "scores that are not scaled"},
    {"scale_attn_by_inverse_layer_idx", Harmless::Off, "scores scaled by the layer's number"},
    {"add_cross_attention", Harmless::Off, "attention to another model's states"},
    {"is_encoder_decoder", Harmless::Off, "an encoder beside the decoder"},
    {"is_causal", Harmless::Yes, "attention without the causal mask"},
    {"pruned_heads", Harmless::Off, "heads that were taken out"},
    {"per_layer_config", Harmless::Off, "layers that differ from each other"},
    {"quantization_config", Harmless::Off, "quantized weights"},
    {"compression_config", Harmless::Off, "compressed weights"},
    {"use_bidirectional_attention", Harmless::Off, "attention without the causal mask"},
    {"attention_chunk_size", Harmless::Off, "attention in chunks"},
    {"attn_logit_softcapping", Harmless::Off, "capped scores"},
    {"final_logit_softcapping", Harmless::Off, "capped logits"},
    {"logits_soft_cap", Harmless::Off, "capped logits"},
    {"query_pre_attn_scalar", Harmless::Unset, "scores scaled otherwise"},
    {"attention_multiplier", Harmless::Unset, "scores scaled otherwise"},
    {"attn_temperature_tuning", Harmless::Off, "scores scaled by position"},
    {"embedding_multiplier", Harmless::One, "scaled embeddings"},
    {"scale_emb", Harmless::One, "scaled embeddings"},
    {"residual_multiplier", Harmless::One, "scaled residuals"},
    {"scale_depth", Harmless::Unset, "scaled residuals"},
    {"logits_scaling", Harmless::One, "scaled logits"},
    {"logit_scale", Harmless::One, "scaled logits"},
    {"clip_qkv", Harmless::Off, "clipped q, k and v"},
    {"alibi", Harmless::Off, "scores biased by distance"},
    {"use_alibi", Harmless::Off, "scores biased by distance"},
    {"parallel_attn", Harmless::Off, "attention and MLP side by side"},
    {"parallel_residual", Harmless::Off, "attention and MLP side by side"},
    {"use_parallel_residual", Harmless::Off, "attention and MLP side by side"},
    {"rope_interleaved", Harmless::Off, "RoPE of neighbouring pairs"},
    {"rotary_pct", Harmless::One, "RoPE that turns a part of the head"},
    {"no_rope_layers", Harmless::Off, "layers without RoPE"},
    {"no_rope_layer_interval", Harmless::Off, "layers without RoPE"},
    {"num_experts", Harmless::Off, "a mixture of experts"},
    {"num_local_experts", Harmless::Off, "a mixture of experts"},
};

bool isHarmless(const Json& value, Harmless harmless) {
  if (value.is_null()) return true;
  switch (harmless) {
    case Harmless::Off: return value == false || value == 0 || (value.is_structured() && value.empty());
    case Harmless::One: return value == 1;
    case Harmless::Yes: return value == true;
    case Harmless::Unset: return false;
  }
  return false;
}

constexpr std::string_view kAdvice = "Open a model without it.";

/// Code beside the weights takes the place of the classes that are built here.
void refuseCustomClass(const Keys& config) {
  const Json* map = config.findSet("auto_map");
  if (map == nullptr) return;
  if (!map->is_object()) config.mismatch(fmt::format("'auto_map' is {}, not an object", shown(*map)));
  for (const auto& [role, code] : map->items()) {
    if (role != "AutoConfig" && !role.starts_with("AutoModel")) continue;
    config.unsupported(
        fmt::format("'auto_map' says that {} is code of its own, {}, which is never run", inQuotes(role), shown(code)),
        "Open a model of one of transformers' own classes.");
  }
}

}  // namespace

void refuseOtherArithmetic(const Keys& config) {
  for (const Guard& guard : kGuards) {
    const Json* value = config.find(guard.key);
    if (value == nullptr || isHarmless(*value, guard.harmless)) continue;
    config.unsupported(fmt::format("{} is {}, which stands for {}: that is not built", inQuotes(guard.key),
                                   shown(*value), guard.meaning),
                       kAdvice);
  }
  refuseCustomClass(config);
}

bool isGuarded(std::string_view key) {
  return key == "auto_map" ||
         std::any_of(std::begin(kGuards), std::end(kGuards), [&](const Guard& guard) { return guard.key == key; });
}

}  // namespace core::checkpoint::huggingface
