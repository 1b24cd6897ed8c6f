// The menu bar: every action with its key. Choices of the view are wired to the ViewState here; the window wires the
// rest.
#pragma once

#include <QAction>
#include <QList>
#include <QMenu>
#include <QObject>
#include <utility>

#include "app/map_menu.h"
#include "app/settings.h"
#include "widgets/panels/token_strip.h"
#include "widgets/state/view_state.h"

class QMenuBar;

namespace app {

class MainMenu : public QObject {
  Q_OBJECT
 public:
  MainMenu(QMenuBar& bar, widgets::ViewState& state, QObject* parent);

  QAction *open, *openFolder, *chooseTokenizer, *reload, *verify, *openBundled, *openCapture, *quit;
  QAction *exportFigure, *exportNumbers, *exportHead, *exportLayer, *exportCapture;
  QMenu *recent, *samples;  ///< filled by the window
  QAction *copyFigure, *copyValues, *copySnippet, *undo, *redo, *editPrompt, *promptIsIds, *beginWithPrefix;
  QMenu* docks;  ///< filled by the window
  QAction *zoomIn, *zoomOut, *fit, *oneToOne, *resetLayout, *releasePin, *focusMap;
  QMenu* runMenu;
  QAction *run, *cancel, *settings, *asTrained;
  QAction *shortcuts, *report, *about;

  MapMenu* map;

  /// Keys and what they do, for the list in the Help menu.
  QList<std::pair<QString, QString>> keys() const;

  void setAppearance(widgets::Appearance appearance);
  void setTint(widgets::TokenStrip::Tint tint);

 Q_SIGNALS:
  void appearanceChosen(widgets::Appearance appearance);
  void tintChosen(widgets::TokenStrip::Tint tint);

 private:
  QAction* add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const QString& toolTip);
  void buildFile(QMenuBar& bar);
  void buildEdit(QMenuBar& bar);
  void buildView(QMenuBar& bar);
  void buildRun(QMenuBar& bar);
  void buildHelp(QMenuBar& bar);
  void buildChoices(QMenu* view);
  void buildSteps(QMenu* view);

  widgets::ViewState& m_state;
  QMenuBar& m_bar;
  QList<QAction*> m_appearances, m_tints;
};

}  // namespace app
