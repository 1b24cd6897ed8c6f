// The cell under the cursor in numbers, in a sentence, and what comes next.
#pragma once

#include <QScrollArea>

#include "widgets/panels/cell_reader.h"

class QLabel;

namespace widgets {

class BarList;
class RowChart;

class InspectorPanel : public QScrollArea {
  Q_OBJECT
 public:
  InspectorPanel(ViewState& state, CellReader& reader, QWidget* parent = nullptr);

  QSize sizeHint() const override { return {280, 520}; }
  QSize minimumSizeHint() const override { return {240, 160}; }

 private:
  void showDetails();
  void showNextTokens();

  ViewState& m_state;
  CellReader& m_reader;
  QLabel *m_query, *m_key, *m_score, *m_mask, *m_weight, *m_lse;
  QLabel* m_sentence;
  QLabel* m_topKeysTitle;
  BarList* m_topKeys;
  std::vector<core::Position> m_topKeyPositions;
  RowChart* m_rowChart;
  QLabel* m_nextTitle;
  BarList* m_next;
};

/// "41 %", "1.2 %", "less than 0.01 %", with a no-break space.
QString percentText(double share);

/// One plain sentence for a cell, with the reason where its row has no weights.
QString cellSentence(const CellDetails& details, const std::vector<core::TokenText>& tokens);

}  // namespace widgets
