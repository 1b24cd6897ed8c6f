// A family's tensors as a table: our name, their name, the shape that the config asks for.
//
// Ours, "#" being the layer: wte.weight, wpe.weight, h.#.attn_norm, h.#.attn.qkv (packed) or .q .k .v, h.#.attn.q_norm,
// .k_norm, h.#.attn.out, h.#.mlp_norm, h.#.mlp.gate, .up, .down, norm (the last one), lm_head.weight; .bias where there
// is one; rope_factors, by which RoPE's frequencies are divided; nanochat's resid_lambdas, x0_lambdas,
// smear_gate.weight, smear_lambda, backout_lambda, h.#.value_embed.weight, h.#.attn.value_gate.weight. Linear weights
// are (out, in).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model_info.h"

namespace core::checkpoint {

/// A size that the config gives: V rows of the embedding table, T context, C embedding, Q = H D, Kv = Hkv D, Qkv all
/// three side by side. One: this dimension is not there.
enum class Dim : std::uint8_t { One, V, T, C, Inner, Q, Kv, Qkv, D, HalfD, KvHeads, Layers, Gate, Smear, Single };

/// MayBeTied: the embedding and lm_head, either of which may stand for both. WhereInFile: a bias, 0 where it is absent.
enum class Presence : std::uint8_t { Always, MayBeTied, WhereInFile };

/// Whether a row is a linear weight, which some files keep (in, out), as GPT-2's Conv1D.
enum class Layout : std::uint8_t { AsIs, Linear };

struct TensorRow {
  std::string_view ours;
  std::string_view theirs;
  std::array<Dim, 2> shape;
  bool (*isThere)(const ModelConfig& config, int layer) = nullptr;  ///< null: in every model
  Layout layout = Layout::AsIs;
  Presence presence = Presence::Always;
};

/// How a family's files keep linear weights. Where all that are not square lie the other way, a file is read so.
enum class Linears : std::uint8_t { OutIn, InOut };

/// Tensors that a family does not have: a reason not to open a file, as they may change the arithmetic; but not where
/// files carry things for other programs.
enum class OtherTensors : std::uint8_t { Refused, Ignored };

struct Family {
  std::string_view name;                      ///< for sentences: "nanoGPT"
  std::string_view prefix;                    ///< of all names but lm_head's: "transformer."; some files leave it out
  std::span<const TensorRow> rows;            ///< with the prefix
  std::span<const std::string_view> buffers;  ///< endings of names that are no weights: ".attn.bias"
  Linears linears = Linears::OutIn;
  OtherTensors others = OtherTensors::Refused;
};

/// A row for one layer and config.
struct ExpectedTensor {
  std::string ours;
  std::string theirs;
  std::vector<std::int64_t> shape;
  Layout layout = Layout::AsIs;
  Presence presence = Presence::Always;
};

extern const Family kNanogpt;
extern const Family kNanochat;
extern const Family kGpt2;   ///< of a Hugging Face folder
extern const Family kLlama;  ///< Llama, Mistral, Qwen2, Qwen3
extern const Family kGgufGpt2;
extern const Family kGgufLlama;        ///< Llama, Qwen2, Qwen3
extern const Family kGgufLlamaPacked;  ///< with q, k and v in one tensor

/// All of them, for a sentence on the nearest one.
std::span<const Family* const> families();

/// Every tensor that a model of this config has.
std::vector<ExpectedTensor> expandRows(const Family& family, const ModelConfig& config);

/// How far names are from a family: which are missing, and which it does not know.
struct NameDifference {
  std::vector<std::string> missing;
  std::vector<std::string> odd;
};

/// `names` as normalizeNames() leaves them; of tensors that may be tied one is enough.
NameDifference compareNames(const std::vector<ExpectedTensor>& expected, const std::vector<std::string>& names);

/// Removes the prefixes that every name carries ("_orig_mod.", "module.", "model." before "transformer."), and adds the
/// family's own where all but lm_head lack it. Answers what was removed.
std::string normalizeNames(std::vector<std::string>& names, const Family& family);

}  // namespace core::checkpoint
