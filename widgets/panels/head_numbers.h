// What the shown head does, in four numbers.
#pragma once

#include <QWidget>

#include "widgets/panels/cell_reader.h"

class QLabel;

namespace widgets {

class HeadNumbers : public QWidget {
  Q_OBJECT
 public:
  explicit HeadNumbers(CellReader& reader, QWidget* parent = nullptr);

 private:
  void showNumbers();

  CellReader& m_reader;
  QLabel *m_entropy, *m_distance, *m_previous, *m_first;
};

}  // namespace widgets
