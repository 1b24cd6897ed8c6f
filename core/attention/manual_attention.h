// The manual attention path, each stage visible: q k^T / sqrt(D), mask, softmax, times v, in blocks of rows.
// Source: nanoGPT model.py, CausalSelfAttention without its fused kernel.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <string>

#include "core/attention/kernels.h"
#include "core/attention_mask.h"
#include "core/progress.h"

namespace core::attention {

/// Every stage of one head and one block of rows after the other, over the keys that the block sees.
/// Shape: q (H, R, D), the last R of the T positions; k, v (Hkv, T, D), query head h reads key/value head h / (H /
/// Hkv). float32. On the CPU the blocks are shared among LibTorch's threads; elsewhere a block is of all heads.
class ManualAttention {
 public:
  /// Makes the workspace, of about kBlockBytes for each thread and stage.
  ManualAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const AttentionMask& mask);

  void run(const Progress& progress);  ///< Errors: Cancelled

  const at::Tensor& output() const { return m_output; }  ///< (H, R, D), weights . v
  const at::Tensor& lse() const { return m_lse; }        ///< (H, R), natural logarithm
  /// "manual path, blocks of 128 rows", for core::RunFacts::path.
  std::string path() const;

 private:
  void runHeadByHead(const Progress& progress);
  void runAllHeads(const Progress& progress);
  void attend(std::int64_t head, PositionRange rows, const at::Tensor& workspace) const;

  at::Tensor m_q, m_k, m_v;
  AttentionMask m_mask;
  Position m_first;      ///< absolute position of the first query
  std::int64_t m_block;  ///< rows of a block
  at::Tensor m_output, m_lse;
};

/// Bytes of the workspace on the CPU at most, for runs of T = `tokens`: all threads and stages.
std::int64_t manualWorkspaceBytes(std::int64_t tokens);

/// The same as one of the kernels; other types than float32 are widened, and the output narrowed.
AttentionOutput manualKernel(const AttentionInput& input);

/// Bytes that a stage of one block may take, so that the stages stay in the cache.
inline constexpr std::int64_t kBlockBytes = std::int64_t{2} << 20;
/// Rows of a block at most, and at least: fewer make the matrix products slow.
inline constexpr std::int64_t kBlockRows = 128;
inline constexpr std::int64_t kLeastBlockRows = 32;

}  // namespace core::attention
