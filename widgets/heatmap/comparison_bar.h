// What is shown beside the selected head: heads, a mean, or the sides of a difference.
#pragma once

#include <QWidget>

#include "widgets/state/view_state.h"

class QComboBox;
class QLabel;

namespace widgets {

class SegmentedButtons;

/// The buttons "heads", "mean", "difference".
class ComparisonButtons : public QWidget {
  Q_OBJECT
 public:
  explicit ComparisonButtons(ViewState& state, QWidget* parent = nullptr);

 private:
  SegmentedButtons* m_buttons;
};

/// One line that says what is compared and lets it be chosen; hidden while heads alone are shown.
class ComparisonBar : public QWidget {
  Q_OBJECT
 public:
  explicit ComparisonBar(ViewState& state, QWidget* parent = nullptr);

 private:
  void showState();
  void fillChoices();
  void choose();

  ViewState& m_state;
  QLabel* m_sentence;
  QWidget* m_sides;
  QComboBox *m_first, *m_run, *m_layer, *m_head, *m_stage;
  bool m_isFilling = false;
};

}  // namespace widgets
