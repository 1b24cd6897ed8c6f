#include "core/checkpoint/tensor_names.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace core::checkpoint {

namespace {

using enum Dim;
using enum Layout;
using enum Presence;

bool qkvBias(const ModelConfig& config, int) { return config.biases.qkv; }
bool outBias(const ModelConfig& config, int) { return config.biases.out; }
bool mlpBias(const ModelConfig& config, int) { return config.biases.mlp; }
bool normBias(const ModelConfig& config, int) { return config.biases.norm; }
bool ropeFactors(const ModelConfig& config, int) { return config.ropeScaling.rule == RopeScaling::Rule::Factors; }
bool qkNorm(const ModelConfig& config, int) { return config.qkNorm == QkNorm::Weighted; }
bool lambdas(const ModelConfig& config, int) { return config.nanochat.lambdas; }
bool smear(const ModelConfig& config, int) { return config.nanochat.smear; }
constexpr auto kEverywhere = nullptr;

// Source: nanoGPT model.py.
constexpr TensorRow kNanogptRows[] = {
    {"wte.weight", "transformer.wte.weight", {V, C}, kEverywhere, AsIs, MayBeTied},
    {"wpe.weight", "transformer.wpe.weight", {T, C}},
    {"h.#.attn_norm.weight", "transformer.h.#.ln_1.weight", {C, One}},
    {"h.#.attn_norm.bias", "transformer.h.#.ln_1.bias", {C, One}, normBias},
    {"h.#.attn.qkv.weight", "transformer.h.#.attn.c_attn.weight", {Qkv, C}, kEverywhere, Linear},
    {"h.#.attn.qkv.bias", "transformer.h.#.attn.c_attn.bias", {Qkv, One}, qkvBias},
    {"h.#.attn.out.weight", "transformer.h.#.attn.c_proj.weight", {C, Q}, kEverywhere, Linear},
    {"h.#.attn.out.bias", "transformer.h.#.attn.c_proj.bias", {C, One}, outBias},
    {"h.#.mlp_norm.weight", "transformer.h.#.ln_2.weight", {C, One}},
    {"h.#.mlp_norm.bias", "transformer.h.#.ln_2.bias", {C, One}, normBias},
    {"h.#.mlp.up.weight", "transformer.h.#.mlp.c_fc.weight", {Inner, C}, kEverywhere, Linear},
    {"h.#.mlp.up.bias", "transformer.h.#.mlp.c_fc.bias", {Inner, One}, mlpBias},
    {"h.#.mlp.down.weight", "transformer.h.#.mlp.c_proj.weight", {C, Inner}, kEverywhere, Linear},
    {"h.#.mlp.down.bias", "transformer.h.#.mlp.c_proj.bias", {C, One}, mlpBias},
    {"norm.weight", "transformer.ln_f.weight", {C, One}},
    {"norm.bias", "transformer.ln_f.bias", {C, One}, normBias},
    {"lm_head.weight", "lm_head.weight", {V, C}, kEverywhere, AsIs, MayBeTied}};

// Source: nanochat gpt.py, from October 2025 to July 2026. What has no prefix there is not in its transformer module.
constexpr TensorRow kNanochatRows[] = {
    {"wte.weight", "transformer.wte.weight", {V, C}},
    {"h.#.attn.q.weight", "transformer.h.#.attn.c_q.weight", {Q, C}, kEverywhere, Linear},
    {"h.#.attn.k.weight", "transformer.h.#.attn.c_k.weight", {Kv, C}, kEverywhere, Linear},
    {"h.#.attn.v.weight", "transformer.h.#.attn.c_v.weight", {Kv, C}, kEverywhere, Linear},
    {"h.#.attn.out.weight", "transformer.h.#.attn.c_proj.weight", {C, Q}, kEverywhere, Linear},
    {"h.#.attn.value_gate.weight", "transformer.h.#.attn.ve_gate.weight", {KvHeads, Gate}, hasValueEmbedding},
    {"h.#.mlp.up.weight", "transformer.h.#.mlp.c_fc.weight", {Inner, C}, kEverywhere, Linear},
    {"h.#.mlp.down.weight", "transformer.h.#.mlp.c_proj.weight", {C, Inner}, kEverywhere, Linear},
    {"h.#.value_embed.weight", "value_embeds.#.weight", {V, Kv}, hasValueEmbedding},
    {"resid_lambdas", "resid_lambdas", {Layers, One}, lambdas},
    {"x0_lambdas", "x0_lambdas", {Layers, One}, lambdas},
    {"smear_gate.weight", "smear_gate.weight", {Single, Smear}, smear},
    {"smear_lambda", "smear_lambda", {Single, One}, smear},
    {"backout_lambda", "backout_lambda", {Single, One}, smear},
    {"lm_head.weight", "lm_head.weight", {V, C}}};

// Source: transformers, models/llama, mistral, qwen2, qwen3.
constexpr TensorRow kLlamaRows[] = {
    {"wte.weight", "model.embed_tokens.weight", {V, C}, kEverywhere, AsIs, MayBeTied},
    {"h.#.attn_norm.weight", "model.layers.#.input_layernorm.weight", {C, One}},
    {"h.#.attn.q.weight", "model.layers.#.self_attn.q_proj.weight", {Q, C}, kEverywhere, Linear},
    {"h.#.attn.q.bias", "model.layers.#.self_attn.q_proj.bias", {Q, One}, qkvBias},
    {"h.#.attn.k.weight", "model.layers.#.self_attn.k_proj.weight", {Kv, C}, kEverywhere, Linear},
    {"h.#.attn.k.bias", "model.layers.#.self_attn.k_proj.bias", {Kv, One}, qkvBias},
    {"h.#.attn.v.weight", "model.layers.#.self_attn.v_proj.weight", {Kv, C}, kEverywhere, Linear},
    {"h.#.attn.v.bias", "model.layers.#.self_attn.v_proj.bias", {Kv, One}, qkvBias},
    {"h.#.attn.q_norm.weight", "model.layers.#.self_attn.q_norm.weight", {D, One}, qkNorm},
    {"h.#.attn.k_norm.weight", "model.layers.#.self_attn.k_norm.weight", {D, One}, qkNorm},
    {"h.#.attn.out.weight", "model.layers.#.self_attn.o_proj.weight", {C, Q}, kEverywhere, Linear},
    {"h.#.attn.out.bias", "model.layers.#.self_attn.o_proj.bias", {C, One}, outBias},
    {"h.#.mlp_norm.weight", "model.layers.#.post_attention_layernorm.weight", {C, One}},
    {"h.#.mlp.gate.weight", "model.layers.#.mlp.gate_proj.weight", {Inner, C}, kEverywhere, Linear},
    {"h.#.mlp.gate.bias", "model.layers.#.mlp.gate_proj.bias", {Inner, One}, mlpBias},
    {"h.#.mlp.up.weight", "model.layers.#.mlp.up_proj.weight", {Inner, C}, kEverywhere, Linear},
    {"h.#.mlp.up.bias", "model.layers.#.mlp.up_proj.bias", {Inner, One}, mlpBias},
    {"h.#.mlp.down.weight", "model.layers.#.mlp.down_proj.weight", {C, Inner}, kEverywhere, Linear},
    {"h.#.mlp.down.bias", "model.layers.#.mlp.down_proj.bias", {C, One}, mlpBias},
    {"norm.weight", "model.norm.weight", {C, One}},
    {"lm_head.weight", "lm_head.weight", {V, C}, kEverywhere, AsIs, MayBeTied}};

// Source: ggml, docs/gguf.md; llama.cpp, llama-arch.cpp.
constexpr TensorRow kGgufGpt2Rows[] = {{"wte.weight", "token_embd.weight", {V, C}, kEverywhere, AsIs, MayBeTied},
                                       {"wpe.weight", "position_embd.weight", {T, C}},
                                       {"h.#.attn_norm.weight", "blk.#.attn_norm.weight", {C, One}},
                                       {"h.#.attn_norm.bias", "blk.#.attn_norm.bias", {C, One}, normBias},
                                       {"h.#.attn.qkv.weight", "blk.#.attn_qkv.weight", {Qkv, C}},
                                       {"h.#.attn.qkv.bias", "blk.#.attn_qkv.bias", {Qkv, One}, qkvBias},
                                       {"h.#.attn.out.weight", "blk.#.attn_output.weight", {C, Q}},
                                       {"h.#.attn.out.bias", "blk.#.attn_output.bias", {C, One}, outBias},
                                       {"h.#.mlp_norm.weight", "blk.#.ffn_norm.weight", {C, One}},
                                       {"h.#.mlp_norm.bias", "blk.#.ffn_norm.bias", {C, One}, normBias},
                                       {"h.#.mlp.up.weight", "blk.#.ffn_up.weight", {Inner, C}},
                                       {"h.#.mlp.up.bias", "blk.#.ffn_up.bias", {Inner, One}, mlpBias},
                                       {"h.#.mlp.down.weight", "blk.#.ffn_down.weight", {C, Inner}},
                                       {"h.#.mlp.down.bias", "blk.#.ffn_down.bias", {C, One}, mlpBias},
                                       {"norm.weight", "output_norm.weight", {C, One}},
                                       {"norm.bias", "output_norm.bias", {C, One}, normBias},
                                       {"lm_head.weight", "output.weight", {V, C}, kEverywhere, AsIs, MayBeTied}};

constexpr std::array<TensorRow, 16> kGgufLlamaRows = {
    {{"wte.weight", "token_embd.weight", {V, C}, kEverywhere, AsIs, MayBeTied},
     {"rope_factors", "rope_freqs.weight", {HalfD, One}, ropeFactors},
     {"h.#.attn_norm.weight", "blk.#.attn_norm.weight", {C, One}},
     {"h.#.attn.q_norm.weight", "blk.#.attn_q_norm.weight", {D, One}, qkNorm},
     {"h.#.attn.k_norm.weight", "blk.#.attn_k_norm.weight", {D, One}, qkNorm},
     {"h.#.attn.out.weight", "blk.#.attn_output.weight", {C, Q}},
     {"h.#.attn.out.bias", "blk.#.attn_output.bias", {C, One}, kEverywhere, AsIs, WhereInFile},
     {"h.#.mlp_norm.weight", "blk.#.ffn_norm.weight", {C, One}},
     {"h.#.mlp.gate.weight", "blk.#.ffn_gate.weight", {Inner, C}},
     {"h.#.mlp.gate.bias", "blk.#.ffn_gate.bias", {Inner, One}, kEverywhere, AsIs, WhereInFile},
     {"h.#.mlp.up.weight", "blk.#.ffn_up.weight", {Inner, C}},
     {"h.#.mlp.up.bias", "blk.#.ffn_up.bias", {Inner, One}, kEverywhere, AsIs, WhereInFile},
     {"h.#.mlp.down.weight", "blk.#.ffn_down.weight", {C, Inner}},
     {"h.#.mlp.down.bias", "blk.#.ffn_down.bias", {C, One}, kEverywhere, AsIs, WhereInFile},
     {"norm.weight", "output_norm.weight", {C, One}},
     {"lm_head.weight", "output.weight", {V, C}, kEverywhere, AsIs, MayBeTied}}};

constexpr std::array<TensorRow, 6> kGgufSeparate = {
    {{"h.#.attn.q.weight", "blk.#.attn_q.weight", {Q, C}},
     {"h.#.attn.q.bias", "blk.#.attn_q.bias", {Q, One}, kEverywhere, AsIs, WhereInFile},
     {"h.#.attn.k.weight", "blk.#.attn_k.weight", {Kv, C}},
     {"h.#.attn.k.bias", "blk.#.attn_k.bias", {Kv, One}, kEverywhere, AsIs, WhereInFile},
     {"h.#.attn.v.weight", "blk.#.attn_v.weight", {Kv, C}},
     {"h.#.attn.v.bias", "blk.#.attn_v.bias", {Kv, One}, kEverywhere, AsIs, WhereInFile}}};
constexpr std::array<TensorRow, 2> kGgufPacked = {
    {{"h.#.attn.qkv.weight", "blk.#.attn_qkv.weight", {Qkv, C}},
     {"h.#.attn.qkv.bias", "blk.#.attn_qkv.bias", {Qkv, One}, kEverywhere, AsIs, WhereInFile}}};

template <std::size_t A, std::size_t B>
constexpr std::array<TensorRow, A + B> joined(const std::array<TensorRow, A>& first,
                                              const std::array<TensorRow, B>& second) {
  std::array<TensorRow, A + B> rows{};
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), rows.begin()));
  return rows;
}
constexpr auto kGgufLlamaSeparateRows = joined(kGgufLlamaRows, kGgufSeparate);
constexpr auto kGgufLlamaPackedRows = joined(kGgufLlamaRows, kGgufPacked);

// The causal masks that older files keep in every layer.
constexpr std::string_view kGpt2Buffers[] = {".attn.bias", ".attn.masked_bias"};
constexpr std::string_view kLlamaBuffers[] = {".rotary_emb.inv_freq"};

constexpr std::string_view kWrappers[] = {"_orig_mod.", "module."};

std::string forLayer(std::string_view pattern, int layer) {
  std::string name(pattern);
  if (const std::size_t at = name.find('#'); at != std::string::npos) name.replace(at, 1, std::to_string(layer));
  return name;
}

std::int64_t sizeOf(Dim dim, const ModelConfig& config) {
  constexpr std::int64_t kSmearChannels = 24;
  const auto heads = [&](int count) { return std::int64_t{count} * config.headSize; };
  switch (dim) {
    case One: return 0;
    case V: return config.vocabularyRows;
    case T: return config.context;
    case C: return config.embedding;
    case Inner: return config.inner;
    case Q: return heads(config.heads);
    case Kv: return heads(config.kvHeads);
    case Qkv: return heads(config.heads) + 2 * heads(config.kvHeads);
    case D: return config.headSize;
    case HalfD: return config.headSize / 2;
    case KvHeads: return config.kvHeads;
    case Layers: return config.layers;
    case Gate: return config.nanochat.gateChannels;
    case Smear: return kSmearChannels;
    case Single: return 1;
  }
  return 0;
}

std::vector<std::int64_t> shapeOf(const TensorRow& row, const ModelConfig& config) {
  std::vector<std::int64_t> shape;
  for (const Dim dim : row.shape) {
    if (dim != One) shape.push_back(sizeOf(dim, config));
  }
  return shape;
}

bool allCarry(const std::vector<std::string>& names, std::string_view prefix) {
  return !names.empty() &&
         std::all_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); });
}

}  // namespace

const Family kNanogpt = {"nanoGPT", "transformer.", kNanogptRows, kGpt2Buffers, Linears::OutIn};
const Family kNanochat = {"nanochat", "transformer.", kNanochatRows, {}, Linears::OutIn};
const Family kGpt2 = {"GPT-2", "transformer.", kNanogptRows, kGpt2Buffers, Linears::InOut};
const Family kLlama = {"Llama", "model.", kLlamaRows, kLlamaBuffers, Linears::OutIn};
const Family kGgufGpt2 = {"GPT-2", "", kGgufGpt2Rows, {}, Linears::OutIn, OtherTensors::Ignored};
const Family kGgufLlama = {"Llama", "", kGgufLlamaSeparateRows, {}, Linears::OutIn, OtherTensors::Ignored};
const Family kGgufLlamaPacked = {"Llama", "", kGgufLlamaPackedRows, {}, Linears::OutIn, OtherTensors::Ignored};

std::span<const Family* const> families() {
  static constexpr const Family* kAll[] = {&kNanogpt, &kNanochat, &kLlama};  // GPT-2's names are nanoGPT's
  return kAll;
}

std::vector<ExpectedTensor> expandRows(const Family& family, const ModelConfig& config) {
  std::vector<ExpectedTensor> expected;
  for (const TensorRow& row : family.rows) {
    const int layers = row.ours.find('#') == std::string_view::npos ? 1 : config.layers;
    for (int layer = 0; layer < layers; ++layer) {
      if (row.isThere != nullptr && !row.isThere(config, layer)) continue;
      expected.push_back({.ours = forLayer(row.ours, layer),
                          .theirs = forLayer(row.theirs, layer),
                          .shape = shapeOf(row, config),
                          .layout = row.layout,
                          .presence = row.presence});
    }
  }
  return expected;
}

NameDifference compareNames(const std::vector<ExpectedTensor>& expected, const std::vector<std::string>& names) {
  NameDifference difference;
  const std::set<std::string> given(names.begin(), names.end());
  std::set<std::string> known;
  const bool anyTied = std::any_of(expected.begin(), expected.end(), [&](const ExpectedTensor& tensor) {
    return tensor.presence == MayBeTied && given.contains(tensor.theirs);
  });
  for (const ExpectedTensor& tensor : expected) {
    known.insert(tensor.theirs);
    const bool isSpared = tensor.presence == WhereInFile || (tensor.presence == MayBeTied && anyTied);
    if (!given.contains(tensor.theirs) && !isSpared) difference.missing.push_back(tensor.theirs);
  }
  std::set_difference(given.begin(), given.end(), known.begin(), known.end(), std::back_inserter(difference.odd));
  return difference;
}

std::string normalizeNames(std::vector<std::string>& names, const Family& family) {
  std::string removed;
  const auto remove = [&](std::string_view prefix) {
    removed += prefix;
    for (std::string& name : names) name.erase(0, prefix.size());
  };
  const auto carries = [&](const std::string& name) { return name.starts_with(family.prefix); };
  for (bool again = true; again;) {
    const auto* wrapper =
        std::find_if(std::begin(kWrappers), std::end(kWrappers), [&](auto prefix) { return allCarry(names, prefix); });
    again = wrapper != std::end(kWrappers);
    if (again) remove(*wrapper);
  }
  // A wrapper of the name that Llama's own prefix has.
  constexpr std::string_view kModel = "model.";
  if (allCarry(names, kModel) && (family.prefix != kModel || allCarry(names, "model.model.") ||
                                  std::find(names.begin(), names.end(), "model.lm_head.weight") != names.end())) {
    remove(kModel);
  }
  if (std::none_of(names.begin(), names.end(), carries)) {
    for (std::string& name : names) {
      if (!name.starts_with("lm_head.")) name.insert(0, family.prefix);
    }
  }
  return removed;
}

}  // namespace core::checkpoint
