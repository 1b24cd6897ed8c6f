// A forward pass over a checkpoint's tensors on either attention path. One for all families: what differs between them
// is in the config.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>
#include <vector>

#include "core/attention_kernel.h"
#include "core/checkpoint/checkpoint.h"
#include "core/ids.h"
#include "core/model/kv_cache.h"
#include "core/model/layers.h"
#include "core/model_info.h"
#include "core/progress.h"

namespace core::model {

struct ForwardRequest {
  const std::vector<TokenId>& tokens;  ///< the new ones, where there is a cache
  const RunSettings& settings;         ///< as core::settingsFor() gives them
  AttentionPath path = AttentionPath::Manual;
  DType type = DType::Float32;  ///< of q, k and v in attention
  enum class Keep { Layers, Nothing } keep = Keep::Layers;
  KvCache* cache = nullptr;  ///< of the positions before, which grows by the new ones
};

struct ForwardResult {
  std::vector<LayerRecord> layers;  ///< on the CPU; with a cache of all positions; empty when nothing is kept
  at::Tensor hidden;                ///< (T, C), after the last norm: logits are one matrix product away
  std::string path;                 ///< core::RunFacts::path; where layers differ, all of them
  std::int64_t maskBytes = 0;       ///< of masks that a layer's kernel needed stored, at most
  std::vector<std::string> warnings;
};

/// Const after construction. Source: nanoGPT model.py, nanochat gpt.py, transformers models/gpt2, llama and their kin.
class Model {
 public:
  /// Takes the tensors named in core/checkpoint/tensor_names.h out of `tensors` (fp32 ones are used in place, others
  /// widened). The loader has checked presence and shapes.
  Model(ModelConfig config, std::map<std::string, checkpoint::Tensor>& tensors, at::Device device = at::kCPU);

  /// Every token id must be in [0, vocabulary) and there must be 1 .. longestPrompt of them, with those of the cache.
  /// Reports progress by layer. Errors: Cancelled, after which a cache can't be used; those of runKernel().
  ForwardResult forward(const ForwardRequest& request, const Progress& progress) const;

  /// Shape: hidden (R, C) -> (R, V), float32.
  at::Tensor logits(const at::Tensor& hidden, const RunSettings& settings) const;

 private:
  struct Block {
    Affine attentionNorm;
    Affine qkv;      // packed, or
    Affine q, k, v;  // each of its own
    Affine qNorm, kNorm;
    Affine attentionOut;
    Affine mlpNorm, mlpGate, mlpUp, mlpDown;
    at::Tensor valueEmbedding;  // (V, Hkv D), of every second layer of nanochat
    at::Tensor valueGate;       // (Hkv, channels)
  };

  at::Tensor embed(const at::Tensor& ids, PositionRange positions, KvCache* cache) const;
  LayerRecord project(const Block& block, const at::Tensor& x, const at::Tensor& ids, const Rotary& rotary,
                      const RunSettings& settings) const;
  at::Tensor withValueEmbedding(const Block& block, const at::Tensor& v, const at::Tensor& x,
                                const at::Tensor& ids) const;

  ModelConfig m_config;
  at::Device m_device;
  at::Tensor m_tokenEmbedding;     // (rows, C)
  at::Tensor m_positionEmbedding;  // (context, C), or undefined
  std::vector<Block> m_blocks;
  Affine m_lastNorm;
  at::Tensor m_head;                                       // (V, C)
  at::Tensor m_residLambdas, m_x0Lambdas;                  // (L), or undefined
  at::Tensor m_smearGate, m_smearLambda, m_backoutLambda;  // (1, 24), (1), (1), or undefined
};

}  // namespace core::model
