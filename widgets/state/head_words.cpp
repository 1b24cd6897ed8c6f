#include "widgets/state/head_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <cmath>

namespace widgets {

namespace {

QString translated(std::string_view text) {
  return QCoreApplication::translate("HeadMetrics", std::string(text).c_str());
}

}  // namespace

QString headLabel(core::HeadId head) { return QStringLiteral("%1·%2").arg(head.layer.value).arg(head.head.value); }

QString metricName(const core::HeadMetric& metric) { return translated(metric.name); }
QString metricShortName(const core::HeadMetric& metric) { return translated(metric.shortName); }
QString metricHelp(const core::HeadMetric& metric) { return translated(metric.help); }

QString metricNumber(const core::HeadMetric& metric, const core::HeadMetrics& metrics) {
  const std::optional<double> value = metric.of(metrics);
  if (!value) return QStringLiteral("–");
  if (std::isnan(*value)) return QStringLiteral("NaN");
  const bool isCount = metric.unit == core::MetricUnit::Keys || metric.unit == core::MetricUnit::Tokens;
  return QString::number(*value, 'f', isCount ? 1 : 2);
}

QString metricText(const core::HeadMetric& metric, const core::HeadMetrics& metrics) {
  const QString number = metricNumber(metric, metrics);
  if (!metric.of(metrics)) return number;
  switch (metric.unit) {
    case core::MetricUnit::Nats: return QCoreApplication::translate("HeadMetrics", "%1 nats").arg(number);
    case core::MetricUnit::Tokens: return QCoreApplication::translate("HeadMetrics", "%1 tokens").arg(number);
    case core::MetricUnit::Keys:
    case core::MetricUnit::Share: break;  // the name says it
  }
  return number;
}

QString metricLines(const core::HeadMetrics& metrics) {
  QStringList lines;
  for (const core::HeadMetric& metric : core::kHeadMetrics)
    if (metric.of(metrics)) lines << metricName(metric) + ' ' + metricText(metric, metrics);
  return lines.join('\n');
}

}  // namespace widgets
