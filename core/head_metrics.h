// Numbers that say what a head does, from its weights.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/map_source.h"

namespace core {

/// Means over all rows unless told otherwise. Units: nats for the entropy, keys, tokens for the distance, the others
/// are shares. H_i = -sum_j p[i,j] ln p[i,j] is the entropy of row i, n_i the number of keys that it sees. Distances
/// are absolute: for a causal head they are i - j; under a bidirectional mask keys before and after the query would
/// cancel out else. Source: Clark et al. 2019 (entropy), Voita et al. 2019 (confidence), Vig & Belinkov 2019
/// (distance), Gu et al. 2024 (mass on the first key); the window's edge is ours.
struct HeadMetrics {
  double entropy = 0;                       ///< H_i
  std::optional<double> normalisedEntropy;  ///< H_i / ln n_i over rows with n_i >= 2; none where no row sees two keys
  double effectiveKeys = 0;                 ///< exp(H_i)
  double confidence = 0;                    ///< max_j p[i,j]
  double meanDistance = 0;                  ///< sum_j p[i,j] |i - j|
  double self = 0;                          ///< p[i,i]
  std::optional<double> previousToken;      ///< p[i,i-1] over i >= 1; none for one token
  double firstKey = 0;                      ///< p[i,0]
  /// The mass on the farthest tenth (rounded up) of the keys that a full row sees, over the full rows: those that see
  /// as many keys before the query as the window has. Under a bidirectional mask as many after it too, and the tenth is
  /// taken on both sides. None where no row is full, or the window cuts nothing off.
  std::optional<double> windowEdge;
};

/// Adds up the weights of one head, rectangle by rectangle, so that (T, T) need not be in memory: it holds O(T).
class HeadMetricsSum {
 public:
  HeadMetricsSum(MapMask mask, std::int64_t tokens);

  /// Values of Stage::Weights, shape (rect.rows, rect.columns). The rectangles may come in any order; together they
  /// hold every visible cell once. What is masked is not read.
  void add(const MapRect& rect, const MapValues& weights);

  /// At least one token. A NaN among the weights makes the numbers NaN. Accurate to 1e-6, relative.
  HeadMetrics result() const;

 private:
  struct Row {
    double entropy = 0;
    float largest = 0;
    bool isBroken = false;  // holds a NaN, which a maximum would lose
  };

  bool isFull(Position row, const PositionRange& keys) const;
  void addSingles(Position row, const PositionRange& keys, const PositionRange& part, const float* values);

  MapMask m_mask;
  std::vector<Row> m_rows;
  std::optional<Position> m_window;  // keys before a query that a full row sees; none where no row is cut
  bool m_seesAfter = false;          // and as many after it
  double m_distance = 0, m_self = 0, m_previous = 0, m_firstKey = 0, m_edge = 0;
};

/// The metrics of a map, piece by piece, so that other work can come in between.
class HeadMetricsWork {
 public:
  explicit HeadMetricsWork(std::shared_ptr<const MapSource> map);

  bool isDone() const { return m_next.rows.begin >= m_tokens; }

  /// Goes on for at least one rectangle and at most about `cells`. Errors: as MapSource::rectangle().
  void goOn(std::int64_t cells, const Progress& progress = {});

  HeadMetrics result() const { return m_sum.result(); }  ///< when isDone()

 private:
  MapRect nextRectangle(Position firstRow, Position firstColumn) const;

  std::shared_ptr<const MapSource> m_map;
  std::int64_t m_tokens;
  HeadMetricsSum m_sum;
  MapRect m_next;
};

/// Of at least one token. Errors: as MapSource::rectangle().
HeadMetrics headMetrics(std::shared_ptr<const MapSource> map, const Progress& progress = {});

}  // namespace core
