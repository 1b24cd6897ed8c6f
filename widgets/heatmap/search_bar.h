// Finds a text among the tokens of the prompt.
#pragma once

#include <QWidget>
#include <vector>

#include "widgets/state/view_state.h"

class QLabel;
class QLineEdit;

namespace widgets {

/// Typing marks the matches; Return goes to the next one, Shift+Return to the one before, Esc clears.
class SearchBar : public QWidget {
  Q_OBJECT
 public:
  explicit SearchBar(ViewState& state, QWidget* parent = nullptr);

  void startTyping();
  void goOn(int step);  ///< to the next match, or with -1 to the one before; pins its query

 Q_SIGNALS:
  void matchChosen(core::PositionRange tokens);  ///< to be brought into sight

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;  // keys of the field

 private:
  void search();

  ViewState& m_state;
  QLineEdit* m_text;
  QLabel* m_count;
  std::vector<core::PositionRange> m_places;
  std::size_t m_current = 0;
};

}  // namespace widgets
