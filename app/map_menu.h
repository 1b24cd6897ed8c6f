// The Map menu: what part is shown, what is hidden, what is compared. What only changes the ViewState is wired here;
// the window wires the rest.
#pragma once

#include <QAction>
#include <QList>
#include <QObject>

#include "widgets/state/view_state.h"

class QMenu;
class QMenuBar;

namespace app {

class MapMenu : public QObject {
  Q_OBJECT
 public:
  MapMenu(QMenuBar& bar, widgets::ViewState& state, QObject* parent);

  QAction *showPart, *squareCells, *colorRange, *hideFirst;
  QAction *find, *findNext, *findPrevious;

 private:
  QAction* add(QMenu* menu, const QString& text, const char* key, const QString& toolTip);
  void buildHiding(QMenu* menu);
  void buildComparing(QMenu* menu);

  widgets::ViewState& m_state;
};

}  // namespace app
