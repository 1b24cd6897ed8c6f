// "previous > 0.3 and distance < 5": which heads are shown, and in which order.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/head_metric_table.h"
#include "core/ids.h"

namespace widgets {

struct HeadFilter {
  struct Condition {
    enum class Is { AtLeast, MoreThan, AtMost, LessThan };
    const core::HeadMetric* metric;
    Is is;
    double value;
  };
  std::vector<Condition> conditions;  ///< all of them hold; none: every head passes

  bool isEmpty() const { return conditions.empty(); }
  bool passes(const core::HeadMetrics& metrics) const;  ///< a number that a head has not, or NaN, passes nothing
};

/// What a text means.
struct FilterText {
  HeadFilter filter;
  QString problem;  ///< why it means nothing; then the filter is empty
};

/// Numbers go by their short names or the beginning of one, in capital letters or not. An empty text is no filter.
FilterText parseHeadFilter(const QString& text);

using MetricsOf = std::function<const core::HeadMetrics*(core::HeadId)>;  ///< nullptr: not known (yet)
enum class HeadOrder { LargestFirst, SmallestFirst };

/// By a number, equal ones as they stood. Heads without the number, or with NaN, come last either way.
void sortHeads(std::vector<core::HeadId>& heads, const core::HeadMetric& metric, HeadOrder order,
               const MetricsOf& metrics);

}  // namespace widgets
