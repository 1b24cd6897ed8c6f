#include "core/head_metrics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace core {

namespace {

constexpr std::int64_t kRows = 512;
constexpr std::int64_t kColumns = 2048;  // with kRows 4 MiB of weights at a time
constexpr std::int64_t kSegment = 1024;  // added up in float; segments are added in double

/// ln p within 2 ulp for normal p > 0, and some finite number for 0 and what is smaller, so that p ln p is right there
/// too. No branch and no table: compilers make vector code of it. Source: logf of Cephes (S. Moshier).
inline float logOf(float p) {
  constexpr std::uint32_t kRootOfHalf = 0x3f3504f3;  // the bits of sqrt(1/2)
  const std::uint32_t shifted = std::bit_cast<std::uint32_t>(p) - kRootOfHalf;
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(shifted) >> 23);
  const float x = std::bit_cast<float>((shifted & 0x7fffff) + kRootOfHalf) - 1;  // sqrt(1/2) - 1 to sqrt(2) - 1
  float y = 7.0376836292e-2F * x - 1.1514610310e-1F;
  y = y * x + 1.1676998740e-1F;
  y = y * x - 1.2420140846e-1F;
  y = y * x + 1.4249322787e-1F;
  y = y * x - 1.6668057665e-1F;
  y = y * x + 2.0000714765e-1F;
  y = y * x - 2.4999993993e-1F;
  y = y * x + 3.3333331174e-1F;
  const float square = x * x;
  y = y * x * square - 2.12194440e-4F * exponent - 0.5F * square;
  return x + y + 0.693359375F * exponent;
}

struct Segment {
  double entropy = 0, distance = 0;
  float largest = 0;
};

/// Sums side by side: each of few addends, so that float will do, and for vector registers.
struct Lanes {
  static constexpr std::int64_t kCount = 64;
  float entropy[kCount] = {}, distance[kCount] = {}, largest[kCount] = {};

  /// distance: of the first value from the diagonal, falling by one a value.
  void add(const float* values, std::int64_t count, float first) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float p = values[i];
      entropy[i] -= p * logOf(p);
      distance[i] += p * std::abs(first - static_cast<float>(static_cast<std::int32_t>(i)));
      largest[i] = p > largest[i] ? p : largest[i];
    }
  }
};

Segment sumOf(const float* values, std::int64_t count, std::int64_t distance) {
  Lanes lanes;
  for (std::int64_t i = 0; i < count; i += Lanes::kCount)
    lanes.add(values + i, std::min(Lanes::kCount, count - i), static_cast<float>(distance - i));
  Segment sum;
  for (std::int64_t i = 0; i < Lanes::kCount; ++i) {
    sum.entropy += static_cast<double>(lanes.entropy[i]);
    sum.distance += static_cast<double>(lanes.distance[i]);
    sum.largest = std::max(sum.largest, lanes.largest[i]);
  }
  return sum;
}

PositionRange common(const PositionRange& a, const PositionRange& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace

HeadMetricsSum::HeadMetricsSum(MapMask mask, std::int64_t tokens)
    : m_mask(std::move(mask)), m_rows(static_cast<std::size_t>(tokens)) {
  if (tokens == 0) return;
  const PositionRange keys = m_mask.visibleKeys(tokens - 1);
  if (keys.size() > 0 && keys.begin > 0) m_window = tokens - 1 - keys.begin;
  m_seesAfter = m_mask.visibleKeys(0).end > 1;
}

bool HeadMetricsSum::isFull(Position row, const PositionRange& keys) const {
  return m_window && keys.begin == row - *m_window && keys.end == row + 1 + (m_seesAfter ? *m_window : 0);
}

/// What is of single keys of a row: itself, the one before, the first, those at the window's edge.
void HeadMetricsSum::addSingles(Position row, const PositionRange& keys, const PositionRange& part,
                                const float* values) {
  const auto mass = [&](const PositionRange& wanted) {
    double sum = 0;
    const PositionRange both = common(wanted, part);
    for (Position key = both.begin; key < both.end; ++key) sum += static_cast<double>(values[key - part.begin]);
    return sum;
  };
  m_firstKey += mass({0, 1});
  m_self += mass({row, row + 1});
  m_previous += mass({row - 1, row});
  if (!isFull(row, keys)) return;
  const Position tenth = (*m_window + 10) / 10;  // of window + 1 keys, rounded up
  m_edge += mass({keys.begin, keys.begin + tenth});
  if (m_seesAfter) m_edge += mass({std::max(row + 1, keys.end - tenth), keys.end});
}

void HeadMetricsSum::add(const MapRect& rect, const MapValues& weights) {
  for (Position row = rect.rows.begin; row < rect.rows.end; ++row) {
    const PositionRange keys = m_mask.visibleKeys(row);
    const PositionRange part = common(keys, rect.columns);
    if (part.size() <= 0) continue;
    const float* values =
        weights.values.data() + (row - rect.rows.begin) * weights.columns + (part.begin - rect.columns.begin);
    Row& sums = m_rows[static_cast<std::size_t>(row)];
    for (std::int64_t begin = 0; begin < part.size(); begin += kSegment) {
      const Segment sum = sumOf(values + begin, std::min(kSegment, part.size() - begin), row - part.begin - begin);
      sums.entropy += sum.entropy;
      sums.largest = std::max(sums.largest, sum.largest);
      sums.isBroken |= std::isnan(sum.entropy);
      m_distance += sum.distance;
    }
    addSingles(row, keys, part, values);
  }
}

HeadMetrics HeadMetricsSum::result() const {
  const double n = static_cast<double>(m_rows.size());
  HeadMetrics metrics;
  double normalised = 0;
  std::int64_t rowsOfSeveral = 0, fullRows = 0;
  for (Position i = 0; i < std::ssize(m_rows); ++i) {
    const Row& row = m_rows[static_cast<std::size_t>(i)];
    const PositionRange keys = m_mask.visibleKeys(i);
    const double entropy = std::max(row.entropy, 0.0);  // a weight of 1 may be rounded up; in this order NaN stays
    metrics.entropy += entropy;
    metrics.effectiveKeys += std::exp(entropy);
    metrics.confidence += row.isBroken ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(row.largest);
    if (keys.size() >= 2) {
      normalised += entropy / std::log(static_cast<double>(keys.size()));
      ++rowsOfSeveral;
    }
    if (isFull(i, keys)) ++fullRows;
  }
  metrics.entropy /= n;
  metrics.effectiveKeys /= n;
  metrics.confidence /= n;
  if (rowsOfSeveral > 0) metrics.normalisedEntropy = normalised / static_cast<double>(rowsOfSeveral);
  metrics.meanDistance = m_distance / n;
  metrics.self = m_self / n;
  if (m_rows.size() > 1) metrics.previousToken = m_previous / (n - 1);
  metrics.firstKey = m_firstKey / n;
  if (fullRows > 0) metrics.windowEdge = m_edge / static_cast<double>(fullRows);
  return metrics;
}

HeadMetricsWork::HeadMetricsWork(std::shared_ptr<const MapSource> map)
    : m_map(std::move(map)),
      m_tokens(m_map->extent(Stage::Weights).rows.size()),
      m_sum(m_map->mask(), m_tokens),
      m_next(nextRectangle(0, 0)) {}

/// From a row and a column on: as many rows and visible columns as are looked at together. Empty rows are passed over.
MapRect HeadMetricsWork::nextRectangle(Position firstRow, Position firstColumn) const {
  const MapMask mask = m_map->mask();
  while (firstRow < m_tokens) {
    const PositionRange rows{firstRow, std::min(firstRow + kRows, m_tokens)};
    const PositionRange keys = mask.visibleKeys(rows);
    const Position begin = std::max(firstColumn, keys.begin);
    if (begin < keys.end) return {rows, {begin, std::min(begin + kColumns, keys.end)}};
    firstRow = rows.end;
    firstColumn = 0;
  }
  return {{m_tokens, m_tokens}, {0, 0}};
}

void HeadMetricsWork::goOn(std::int64_t cells, const Progress& progress) {
  for (std::int64_t done = 0; !isDone() && (done == 0 || done + m_next.cells() <= cells);) {
    const double share = static_cast<double>(m_next.rows.begin) / static_cast<double>(m_tokens);
    progress.report(share, "head numbers");
    m_sum.add(m_next, m_map->rectangle(Stage::Weights, m_next, progress.part(share, share)));
    done += m_next.cells();
    m_next = nextRectangle(m_next.rows.begin, m_next.columns.end);
  }
}

HeadMetrics headMetrics(std::shared_ptr<const MapSource> map, const Progress& progress) {
  HeadMetricsWork work(std::move(map));
  while (!work.isDone()) work.goOn(std::numeric_limits<std::int64_t>::max() / 2, progress);
  return work.result();
}

}  // namespace core
