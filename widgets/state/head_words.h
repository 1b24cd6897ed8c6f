// Words of the heads: names and values of their numbers, what a thumbnail is.
#pragma once

#include <QString>

#include "core/head_metric_table.h"
#include "core/ids.h"

namespace widgets {

QString headLabel(core::HeadId head);  ///< "3·2": layer 3, head 2

QString metricName(const core::HeadMetric& metric);       ///< "previous token"
QString metricShortName(const core::HeadMetric& metric);  ///< "previous"
QString metricHelp(const core::HeadMetric& metric);

/// "2.31", "31.8"; a dash where the head has no such number.
QString metricNumber(const core::HeadMetric& metric, const core::HeadMetrics& metrics);
/// The same with its unit: "2.31 nats", "31.8 tokens", "0.14".
QString metricText(const core::HeadMetric& metric, const core::HeadMetrics& metrics);

/// "entropy 2.31 nats", one number a line; those that the head has not are left out.
QString metricLines(const core::HeadMetrics& metrics);

}  // namespace widgets
