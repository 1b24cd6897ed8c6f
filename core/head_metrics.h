// Numbers that say what a head does, from its weights.
#pragma once

#include <optional>

#include "core/attention_map.h"
#include "core/attention_mask.h"

namespace core {

/// Means over all rows. Units: nats for the entropy, tokens for the distance, the others are shares of attention.
/// Distances are absolute: for a causal head they are i - j; under a bidirectional mask keys before and after the query
/// would cancel out else.
/// Source: Clark et al. 2019 (entropy), Vig & Belinkov 2019 (distance), Gu et al. 2024 (mass on the first key).
struct HeadMetrics {
  double entropy = 0;                   ///< mean over i of -sum_j p[i,j] ln p[i,j]
  double effectiveKeys = 0;             ///< mean over i of exp(entropy of row i)
  double meanDistance = 0;              ///< mean over i of sum_j p[i,j] |i - j|
  double firstKey = 0;                  ///< mean over i of p[i,0]
  std::optional<double> previousToken;  ///< mean over i >= 1 of p[i,i-1]; none for one token
};

/// Adds up the rows of one head from top to bottom, so that (T, T) need not be in memory.
class HeadMetricsSum {
 public:
  explicit HeadMetricsSum(AttentionMask mask) : m_mask(mask) {}

  /// The next rows of Stage::Weights, shape (any, T).
  void add(const MapValues& rows);

  /// Over the rows so far; at least one. A NaN among the weights makes the numbers NaN.
  HeadMetrics result() const;

 private:
  AttentionMask m_mask;
  Position m_rows = 0;
  double m_entropy = 0, m_effectiveKeys = 0, m_distance = 0, m_firstKey = 0, m_previous = 0;
};

}  // namespace core
