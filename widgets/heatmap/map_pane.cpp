#include "widgets/heatmap/map_pane.h"

#include <QGridLayout>
#include <QLabel>

#include "widgets/heatmap/row_profile.h"
#include "widgets/heatmap/token_axis.h"

namespace widgets {

MapPane::MapPane(JobRunner& jobs, int number, QWidget* parent)
    : QWidget(parent),
      m_view(new HeatmapView(jobs, QStringLiteral("map.tiles.%1").arg(number), this)),
      m_columns(new TokenAxis(Qt::Horizontal, this)),
      m_queries(new TokenAxis(Qt::Vertical, this)),
      m_profile(new RowProfile(this)),
      m_title(new QLabel(this)),
      m_axisNames(new QLabel(this)) {
  m_axisNames->setAlignment(Qt::AlignRight | Qt::AlignBottom);
  m_axisNames->setMargin(4);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_title->setTextFormat(Qt::PlainText);
  m_title->hide();
  m_profile->hide();
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(0);
  grid->addWidget(m_title, 0, 1);
  grid->addWidget(m_axisNames, 1, 0);
  grid->addWidget(m_columns, 1, 1);
  grid->addWidget(m_queries, 2, 0);
  grid->addWidget(m_view, 2, 1);
  grid->addWidget(m_profile, 2, 2);
  grid->setColumnStretch(1, 1);
  grid->setRowStretch(2, 1);
  connect(m_view, &HeatmapView::viewChanged, this, &MapPane::showGeometry);
}

void MapPane::setTitle(const QString& title, const QString& detail) {
  m_title->setText(detail.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, detail));
  m_title->setToolTip(m_title->text());
  m_title->setVisible(!title.isEmpty());
}

void MapPane::setLabels(const QStringList& queries, const QStringList& columns, bool columnsAreKeys) {
  m_queries->setLabels(queries);
  m_columns->setLabels(columns);
  m_axisNames->setText(queries.isEmpty() ? QString() : columnsAreKeys ? tr("key →\nquery ↓") : tr("dim →\nquery ↓"));
  m_axisNames->setToolTip(columnsAreKeys ? tr("Columns are keys, rows are queries.")
                                         : tr("Columns are dimensions of the output, rows are queries."));
  m_columns->setAccessibleName(columnsAreKeys ? tr("key (column)") : tr("dimension (column)"));
  m_queries->setAccessibleName(tr("query (row)"));
}

void MapPane::setHighlighted(std::optional<core::Position> query, std::optional<core::Position> column) {
  m_queries->setHighlighted(query);
  m_columns->setHighlighted(column);
}

void MapPane::setMarked(const core::KeySet& queries, const core::KeySet& columns) {
  m_queries->setMarked(queries);
  m_columns->setMarked(columns);
}

void MapPane::showGeometry() {
  m_columns->setMapping(m_view->geometry().columns());
  m_queries->setMapping(m_view->geometry().rows());
  m_profile->setMapping(m_view->geometry().rows());
}

}  // namespace widgets
