// The GPT-2 arithmetic as nanoGPT writes it: learned positions, LayerNorm before each half, GELU MLP.
// Source: nanoGPT model.py.
#pragma once

#include <map>
#include <string>

#include "core/model/model.h"

namespace core::model {

class Gpt2Model final : public Model {
 public:
  /// Takes the tensors named in core/checkpoint/tensor_names.h out of `tensors`.
  Gpt2Model(const ModelConfig& config, std::map<std::string, checkpoint::Tensor>& tensors);

  AttentionMask mask(Layer, std::int64_t tokens) const override { return AttentionMask(tokens); }
  ForwardResult forward(const std::vector<TokenId>& tokens, const ForwardOptions& options,
                        const Progress& progress) const override;
  at::Tensor logits(const at::Tensor& hidden) const override;

 private:
  /// weight (out, in), bias (out) or undefined; for a norm both are (C).
  struct Affine {
    at::Tensor weight;
    at::Tensor bias;
  };
  struct Block {
    Affine attentionNorm, attentionIn, attentionOut, mlpNorm, mlpIn, mlpOut;
  };

  at::Tensor normalize(const at::Tensor& x, const Affine& norm) const;

  ModelConfig m_config;
  at::Tensor m_tokenEmbedding;     // (V, C)
  at::Tensor m_positionEmbedding;  // (context, C)
  std::vector<Block> m_blocks;
  Affine m_lastNorm;
  at::Tensor m_head;  // (V, C)
};

}  // namespace core::model
