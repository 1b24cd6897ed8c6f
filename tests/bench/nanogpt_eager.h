// The peer of a captured run: nanoGPT's forward pass in eager LibTorch, keeping every attention map.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace bench {

/// A model of the bundled one's shape with random weights: the time does not depend on their values.
class NanoGptEager {
 public:
  NanoGptEager();

  struct Result {
    std::vector<torch::Tensor> attention;  ///< a layer each, (1, H, T, T)
    torch::Tensor logits;                  ///< (1, 1, V): of the last position, as nanoGPT does at inference
  };
  /// Shape: tokens (1, T), int64.
  Result run(const torch::Tensor& tokens) const;

 private:
  struct Block {
    torch::Tensor norm1, attention, projection, norm2, expand, contract;
  };
  torch::Tensor m_tokenEmbedding, m_positionEmbedding, m_finalNorm, m_mask;
  std::vector<Block> m_blocks;
};

}  // namespace bench
