#include "widgets/heatmap/head_filter.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "widgets/state/head_words.h"

namespace widgets {

namespace {

using Condition = HeadFilter::Condition;

QString tr(const char* text) { return QCoreApplication::translate("HeadFilter", text); }

QStringList names() {
  QStringList names;
  for (const core::HeadMetric& metric : core::kHeadMetrics) names << metricShortName(metric);
  return names;
}

/// By its whole name, or by the beginning that only one has; by the English one too.
const core::HeadMetric* metricNamed(const QString& text) {
  const core::HeadMetric* found = nullptr;
  for (const core::HeadMetric& metric : core::kHeadMetrics) {
    const QString english = QString::fromUtf8(metric.shortName.data(), static_cast<int>(metric.shortName.size()));
    for (const QString& name : {metricShortName(metric), english}) {
      if (name.compare(text, Qt::CaseInsensitive) == 0) return &metric;
      if (!name.startsWith(text, Qt::CaseInsensitive)) continue;
      if (found && found != &metric) return nullptr;
      found = &metric;
    }
  }
  return found;
}

Condition::Is comparisonNamed(const QString& text) {
  if (text == "<") return Condition::Is::LessThan;
  if (text == ">") return Condition::Is::MoreThan;
  return text.startsWith('<') || text == QStringLiteral("≤") ? Condition::Is::AtMost : Condition::Is::AtLeast;
}

bool holds(const Condition& condition, double value) {
  switch (condition.is) {
    case Condition::Is::AtLeast: return value >= condition.value;
    case Condition::Is::MoreThan: return value > condition.value;
    case Condition::Is::AtMost: return value <= condition.value;
    case Condition::Is::LessThan: return value < condition.value;
  }
  return false;
}

/// Adds one condition to the filter, or gives what is wrong with it.
QString addCondition(const QString& text, HeadFilter& filter) {
  static const QRegularExpression parts(QStringLiteral(R"(^\s*([^\s<>=≤≥]*)\s*(<=|>=|<|>|≤|≥)?\s*(.*?)\s*$)"));
  const QRegularExpressionMatch match = parts.match(text);
  const QString name = match.captured(1), comparison = match.captured(2), number = match.captured(3);
  const core::HeadMetric* metric = name.isEmpty() ? nullptr : metricNamed(name);
  if (!metric)
    return tr("Heads have no number of the name “%1”. There are %2.").arg(name, names().join(QStringLiteral(", ")));
  const QString example = QStringLiteral("%1 > 0.3").arg(metricShortName(*metric));
  if (comparison.isEmpty())
    return tr("After “%1” comes one of < <= > >= and a number: %2").arg(metricShortName(*metric), example);
  bool isNumber = false;
  const double value = QLocale::c().toDouble(number, &isNumber);
  if (!isNumber || !std::isfinite(value))
    return number.isEmpty() ? tr("A number is missing: %1").arg(example)
                            : tr("“%1” is no number: %2").arg(number, example);
  filter.conditions.push_back({metric, comparisonNamed(comparison), value});
  return {};
}

}  // namespace

bool HeadFilter::passes(const core::HeadMetrics& metrics) const {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    const std::optional<double> value = condition.metric->of(metrics);
    return value && holds(condition, *value);
  });
}

FilterText parseHeadFilter(const QString& text) {
  FilterText result;
  if (text.trimmed().isEmpty()) return result;
  static const QRegularExpression between(QStringLiteral("\\s+and\\s+|&+"), QRegularExpression::CaseInsensitiveOption);
  for (const QString& condition : text.split(between)) {
    result.problem = addCondition(condition, result.filter);
    if (result.problem.isEmpty()) continue;
    result.filter = {};
    break;
  }
  return result;
}

void sortHeads(std::vector<core::HeadId>& heads, const core::HeadMetric& metric, HeadOrder order,
               const MetricsOf& metrics) {
  std::vector<std::pair<double, core::HeadId>> keyed;  // the smallest first
  for (const core::HeadId head : heads) {
    const core::HeadMetrics* known = metrics(head);
    const double value = known ? metric.of(*known).value_or(NAN) : NAN;
    keyed.emplace_back(std::isnan(value) ? HUGE_VAL : order == HeadOrder::SmallestFirst ? value : -value, head);
  }
  std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(keyed.begin(), keyed.end(), heads.begin(), [](const auto& pair) { return pair.second; });
}

}  // namespace widgets
