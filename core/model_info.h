// What is known of an opened model: its numbers, and the report of what loading did.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/window_pattern.h"

namespace core {

enum class Norm { LayerNorm, RmsNorm };
enum class Positions { Learned, Rotary };
enum class Mlp { Gelu, SwiGlu, ReluSquared };

/// The exact x * Phi(x), or the tanh form that older nanoGPT and GPT-2 use.
enum class Gelu { Erf, Tanh };

/// Weighted: RMSNorm of q and k over D with weights, before RoPE (Qwen3). Unit: without weights, after RoPE, then times
/// RunSettings::qkMultiplier (nanochat).
enum class QkNorm { None, Weighted, Unit };

/// How RoPE frequencies are stretched for a longer context. Source: transformers, modeling_rope_utils.py.
struct RopeScaling {
  enum class Rule { None, Linear, Llama3, Factors };
  Rule rule = Rule::None;
  double factor = 1;
  double lowFrequency = 1;   ///< Llama3: low_freq_factor
  double highFrequency = 4;  ///< Llama3: high_freq_factor
  std::int64_t originalContext = 0;
  std::vector<float> factors = {};  ///< Factors: (D / 2), by which each frequency is divided, as GGUF files have them
};

/// Half-split rotation of a = x[:D/2], b = x[D/2:]: Forward (a cos - b sin, b cos + a sin), Backward with -sin
/// (nanochat).
enum class RopeDirection { Forward, Backward };

/// Which linears and norms have a bias.
struct Biases {
  bool qkv = false;
  bool out = false;  ///< the projection after attention
  bool mlp = false;
  bool norm = false;
};

/// What nanochat adds to the plain transformer; each came with a version of it.
struct NanochatParts {
  bool embeddingNorm = false;  ///< norm of the embeddings: all nanochat models
  bool lambdas = false;        ///< resid_lambdas, x0_lambdas
  int gateChannels = 0;        ///< of value embeddings; 0: there are none
  double gateScale = 0;        ///< g of gate = g * sigmoid(...)
  bool smear = false;          ///< smear and backout
};

/// What a run may choose otherwise than training did: numbers that a file may not tell. Fields that the model has no
/// use for are ignored.
struct RunSettings {
  Gelu gelu = Gelu::Erf;        ///< where the MLP is Mlp::Gelu
  double qkMultiplier = 1;      ///< where QkNorm::Unit
  double ropeBase = 10000;      ///< where Positions::Rotary
  double softCap = 0;           ///< logits = cap * tanh(logits / cap); 0: none
  std::vector<Window> windows;  ///< (layers)
  MaskKind mask = MaskKind::Causal;
};

/// The numbers that the arithmetic needs. D = headSize, C = embedding.
struct ModelConfig {
  std::string family;   ///< "nanoGPT", "nanochat", "GPT-2", "Llama", "Mistral", "Qwen2", "Qwen3"
  std::string version;  ///< where one name covers several: "from 14 March 2026", else empty
  int layers = 0;
  int heads = 0;
  int kvHeads = 0;
  int headSize = 0;
  int embedding = 0;
  int inner = 0;                    ///< width of the MLP
  std::int64_t context = 0;         ///< tokens that training saw at once
  std::int64_t longestPrompt = 0;   ///< tokens that the model can run; beyond `context` with a notice
  std::int64_t vocabulary = 0;      ///< token ids are 0 .. vocabulary - 1, and logits have as many columns
  std::int64_t vocabularyRows = 0;  ///< of the embedding table; more than `vocabulary` where it is padded
  Norm norm = Norm::LayerNorm;
  double normEpsilon = 1e-5;
  Positions positions = Positions::Learned;
  RopeScaling ropeScaling;
  RopeDirection ropeDirection = RopeDirection::Forward;
  QkNorm qkNorm = QkNorm::None;
  Mlp mlp = Mlp::Gelu;
  Biases biases;
  bool tiedHead = true;  ///< lm_head shares the embedding table
  NanochatParts nanochat;
  WindowRule windowRule;
  RunSettings trained;  ///< as training had it
};

/// Whether nanochat's value embedding is added in this layer: every second one, the last included.
inline bool hasValueEmbedding(const ModelConfig& config, int layer) {
  return config.nanochat.gateChannels > 0 && layer % 2 == (config.layers - 1) % 2;
}

/// What loading did, a line each, in the order of the enum.
struct ReportLine {
  enum class Topic { Family, Version, Read, Ignored, Patched, Prefix, Tokenizer, Warning };
  Topic topic;
  std::string text;
};

struct ModelInfo {
  std::filesystem::path path;  ///< the checkpoint as opened: a file, or the folder of a set of files
  std::string name;            ///< for titles: "shakespeare-char"
  ModelConfig config;
  std::string storedType;       ///< type of the weights in the file: "fp32", "bf16", "fp32 + bf16"
  std::int64_t parameters = 0;  ///< weights counted once where shared
  std::int64_t bytesRead = 0;   ///< bytes of weights read from the file
  std::string tokenizer;        ///< "65 characters (meta.pkl)", or empty when there is none
  std::string noTokenizer;      ///< why there is none: sentences; empty when there is one
  std::string device = "CPU";
  std::vector<ReportLine> report;
};

}  // namespace core
