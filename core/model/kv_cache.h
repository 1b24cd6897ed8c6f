// What decoding knows of the positions before: k and v for attention, and all else that a capture of them keeps.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/model_info.h"

namespace core::model {

/// What attention saw in one layer, float32.
struct LayerRecord {
  at::Tensor q;    ///< (H, T, D), as the scores use it: after RoPE and norms
  at::Tensor k;    ///< (Hkv, T, D)
  at::Tensor v;    ///< (Hkv, T, D)
  at::Tensor lse;  ///< (H, T)
};

/// A tensor that grows along one dimension. What view() gave stays as it is when more is appended.
class GrowingTensor {
 public:
  GrowingTensor(std::int64_t dimension, std::int64_t capacity) : m_dimension(dimension), m_capacity(capacity) {}
  void append(const at::Tensor& rows);
  at::Tensor view() const { return m_storage.slice(m_dimension, 0, m_size); }
  std::int64_t size() const { return m_size; }

 private:
  std::int64_t m_dimension;
  std::int64_t m_capacity;
  std::int64_t m_size = 0;
  at::Tensor m_storage;
};

/// Grows by the positions of each forward pass that gets it. A layer's window does not shorten it: the capture shows
/// every row, and each pass looks only at the keys that the mask lets it see.
class KvCache {
 public:
  /// `capacity`: as many positions fit without copying.
  KvCache(const ModelConfig& config, std::int64_t capacity);

  std::int64_t size() const { return m_hidden.size(); }  ///< positions of all passes that have ended
  LayerRecord layer(std::size_t layer) const;            ///< of all of them
  /// k and v, those of the pass at hand included once they are appended.
  at::Tensor keys(std::size_t layer) const { return m_layers[layer].k.view(); }
  at::Tensor values(std::size_t layer) const { return m_layers[layer].v.view(); }
  at::Tensor hidden() const { return m_hidden.view(); }  ///< (T, C)

  void appendKeys(std::size_t layer, const LayerRecord& rows);  ///< k and v
  void appendRows(std::size_t layer, const LayerRecord& rows);  ///< q and lse
  void appendHidden(const at::Tensor& rows) { m_hidden.append(rows); }

  at::Tensor lastEmbedding;  ///< (1, C) of the last position, before nanochat's smear; undefined at first

 private:
  struct Layer {
    GrowingTensor q, k, v, lse;
  };
  std::vector<Layer> m_layers;
  GrowingTensor m_hidden;
};

}  // namespace core::model
