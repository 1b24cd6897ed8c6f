// The manual attention path, each stage visible: q k^T / sqrt(D), mask, softmax, times v.
// Source: nanoGPT model.py, CausalSelfAttention without its fused kernel.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/attention_mask.h"
#include "core/progress.h"

namespace core::attention {

/// Every stage for R queries over S keys; float32.
struct ManualStages {
  at::Tensor scores;   ///< (H, R, S), q k^T / sqrt(D)
  at::Tensor masked;   ///< (H, R, S), -infinity where the mask hides the key
  at::Tensor weights;  ///< (H, R, S), softmax of masked; exactly 0 where hidden
  at::Tensor output;   ///< (H, R, D), weights . v
  at::Tensor lse;      ///< (H, R), natural logarithm
};

/// Queries `rows` over keys `columns`, which hold all that these queries see.
/// Shape: q (H, T, D); k, v (Hkv, T, D), query head h reads key/value head h / (H / Hkv).
ManualStages manualStages(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask,
                          PositionRange rows, PositionRange columns);

/// Scaled scores without a mask. Shape: q (..., R, D), k (..., S, D) -> (..., R, S).
at::Tensor scaledScores(const at::Tensor& q, const at::Tensor& k);

/// Shape: (R, S), true where the query of the row does not see the key of the column.
at::Tensor hiddenCells(const AttentionMask& mask, PositionRange rows, PositionRange columns);

/// Tells progress where a layer's work is, as its part of the whole.
class BlockReport {
 public:
  BlockReport(const Progress& progress, std::size_t layer, std::size_t layers)
      : m_progress(progress), m_layer(layer), m_layers(layers) {}
  void report(double fractionOfLayer) const;  ///< Errors: Cancelled

 private:
  const Progress& m_progress;
  std::size_t m_layer;
  std::size_t m_layers;
};

struct ManualResult {
  at::Tensor output;  ///< (H, T, D)
  at::Tensor lse;     ///< (H, T)
  std::string path;   ///< core::RunFacts::path
};

/// The stages in turn for all T queries; a layer whose (H, T, T) is above kWholeLayerBytes goes in blocks of rows.
ManualResult manualAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask,
                             const BlockReport& report);

/// Bytes of one (H, T, T) float32 stage up to which a layer goes whole; the stages together take three times that.
inline constexpr std::int64_t kWholeLayerBytes = std::int64_t{128} << 20;
/// Bytes of a stage of one block of rows. The allocator keeps buffers of this size, so that blocks reuse them; larger
/// ones would come from the system anew each time, page by page.
inline constexpr std::int64_t kBlockBytes = std::int64_t{16} << 20;

}  // namespace core::attention
