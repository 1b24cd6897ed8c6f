// What the shown head does, in a few numbers.
#pragma once

#include <QWidget>
#include <vector>

#include "core/head_metric_table.h"
#include "widgets/panels/cell_reader.h"

class QLabel;

namespace widgets {

class HeadNumbers : public QWidget {
  Q_OBJECT
 public:
  explicit HeadNumbers(CellReader& reader, QWidget* parent = nullptr);

 private:
  struct Row {
    const core::HeadMetric* metric;
    QLabel *name, *value;
  };

  void showNumbers();

  CellReader& m_reader;
  std::vector<Row> m_rows;
};

}  // namespace widgets
