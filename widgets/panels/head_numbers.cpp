#include "widgets/panels/head_numbers.h"

#include <QGridLayout>
#include <QLabel>

#include "widgets/panels/look.h"

namespace widgets {

HeadNumbers::HeadNumbers(CellReader& reader, QWidget* parent) : QWidget(parent), m_reader(reader) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(10, 4, 10, 8);
  grid->setHorizontalSpacing(14);
  grid->setVerticalSpacing(2);
  grid->setColumnStretch(1, 1);
  grid->addWidget(caption(tr("This head"), this), 0, 0, 1, 2);
  const auto addRow = [&](const QString& name, const QString& toolTip) {
    const int row = grid->rowCount();
    auto* key = mutedLabel(name, this);
    auto* value = new QLabel("–", this);
    QFont bold = value->font();
    bold.setBold(true);
    value->setFont(bold);
    value->setAccessibleName(name);
    for (QWidget* widget : {key, value}) widget->setToolTip(toolTip);
    grid->addWidget(key, row, 0);
    grid->addWidget(value, row, 1);
    return value;
  };
  m_entropy =
      addRow(tr("entropy"), tr("Mean over the queries of −Σ p ln p, and how many keys that is like looking at"));
  m_distance = addRow(tr("distance"), tr("Mean distance between a query and what it looks at"));
  m_previous = addRow(tr("previous"), tr("Mean weight on the token just before the query"));
  m_first = addRow(tr("first key"), tr("Mean weight on the first token of the prompt"));
  connect(&reader, &CellReader::metricsChanged, this, [this] { showNumbers(); });
  showNumbers();
}

void HeadNumbers::showNumbers() {
  const auto& metrics = m_reader.metrics();
  if (!metrics) {
    for (QLabel* value : {m_entropy, m_distance, m_previous, m_first}) value->setText("–");
    return;
  }
  const auto two = [](double value) { return QString::number(value, 'f', 2); };
  m_entropy->setText(tr("%1 nats (%2 keys)").arg(two(metrics->entropy)).arg(metrics->effectiveKeys, 0, 'f', 1));
  m_distance->setText(tr("%1 tokens").arg(metrics->meanDistance, 0, 'f', 1));
  m_previous->setText(metrics->previousToken ? two(*metrics->previousToken) : "–");
  m_first->setText(two(metrics->firstKey));
}

}  // namespace widgets
