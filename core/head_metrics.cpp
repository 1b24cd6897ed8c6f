#include "core/head_metrics.h"

#include <cmath>
#include <cstdlib>

namespace core {

void HeadMetricsSum::add(const MapValues& rows) {
  for (std::int64_t row = 0; row < rows.rows; ++row, ++m_rows) {
    const Position i = m_rows;
    const PositionRange keys = m_mask.visibleKeys(i);
    double entropy = 0;
    for (Position j = keys.begin; j < keys.end; ++j) {
      const double p = static_cast<double>(rows.at(row, j));
      if (p == 0) continue;            // 0 ln 0 = 0
      entropy += p * std::log(1 / p);  // never -0
      m_distance += p * static_cast<double>(std::abs(i - j));
    }
    m_entropy += entropy;
    m_effectiveKeys += std::exp(entropy);
    m_firstKey += static_cast<double>(rows.at(row, 0));
    if (i >= 1) m_previous += static_cast<double>(rows.at(row, i - 1));
  }
}

HeadMetrics HeadMetricsSum::result() const {
  const double n = static_cast<double>(m_rows);
  HeadMetrics metrics;
  metrics.entropy = m_entropy / n;
  metrics.effectiveKeys = m_effectiveKeys / n;
  metrics.meanDistance = m_distance / n;
  metrics.firstKey = m_firstKey / n;
  if (m_rows > 1) metrics.previousToken = m_previous / (n - 1);
  return metrics;
}

}  // namespace core
