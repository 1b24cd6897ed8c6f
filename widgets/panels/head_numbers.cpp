#include "widgets/panels/head_numbers.h"

#include <QGridLayout>
#include <QLabel>
#include <algorithm>

#include "widgets/panels/look.h"
#include "widgets/state/head_words.h"

namespace widgets {

namespace {

/// Those that tell most; the others stand in the tips of the small maps.
constexpr std::string_view kShown[] = {"entropy", "distance", "previous", "first", "edge"};

const core::HeadMetric& metricOf(std::string_view shortName) {
  return *std::find_if(core::kHeadMetrics.begin(), core::kHeadMetrics.end(),
                       [shortName](const core::HeadMetric& metric) { return metric.shortName == shortName; });
}

}  // namespace

HeadNumbers::HeadNumbers(CellReader& reader, QWidget* parent) : QWidget(parent), m_reader(reader) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(10, 4, 10, 8);
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(1, 1);
  grid->addWidget(caption(tr("This head"), this), 0, 0, 1, 2);
  for (const std::string_view shortName : kShown) {
    const core::HeadMetric& metric = metricOf(shortName);
    const Row row{&metric, mutedLabel(metricName(metric), this), new QLabel(this)};
    QFont bold = row.value->font();
    bold.setBold(true);
    row.value->setFont(bold);
    row.value->setAccessibleName(metricName(metric));
    for (QWidget* widget : {row.name, row.value}) widget->setToolTip(metricHelp(metric));
    grid->addWidget(row.name, grid->rowCount(), 0);
    grid->addWidget(row.value, grid->rowCount() - 1, 1);
    m_rows.push_back(row);
  }
  connect(&reader, &CellReader::metricsChanged, this, [this] { showNumbers(); });
  showNumbers();
}

void HeadNumbers::showNumbers() {
  const core::HeadMetrics* metrics = m_reader.metrics();
  for (const Row& row : m_rows) {
    QString text = metrics ? metricText(*row.metric, *metrics) : QStringLiteral("–");
    if (metrics && row.metric->unit == core::MetricUnit::Nats)
      text += tr(" (%1 keys)").arg(metrics->effectiveKeys, 0, 'f', 1);
    const bool isFirst = row.value->text().isEmpty();
    row.value->setText(text);
    // A head without a window that cuts something off has nothing at its edge. While numbers are read nothing moves.
    if (row.metric->shortName != "edge" || (!metrics && !isFirst)) continue;
    for (QWidget* widget : {row.name, row.value}) widget->setVisible(metrics && metrics->windowEdge);
  }
}

}  // namespace widgets
