#include "app/map_menu.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>

namespace app {

using widgets::Shown;
using widgets::Unit;
using widgets::ViewState;

MapMenu::MapMenu(QMenuBar& bar, ViewState& state, QObject* parent) : QObject(parent), m_state(state) {
  QMenu* menu = bar.addMenu(tr("&Map"));
  showPart = add(menu, tr("Show &Part…"), "Ctrl+G", tr("Type which queries and keys fill the map"));
  squareCells = add(menu, tr("&Square Cells"), "Ctrl+Alt+Q", tr("Cells as wide as high; else they fill the panel"));
  squareCells->setCheckable(true);
  squareCells->setChecked(true);
  QAction* words = add(menu, tr("Whole &Words"), "W",
                       tr("Pieces of a word together: the sum over those of a key, the mean over those of a query"));
  words->setCheckable(true);
  connect(words, &QAction::triggered, &state, [&state](bool on) { state.setUnit(on ? Unit::Words : Unit::Tokens); });
  connect(&state, &ViewState::mapsChanged, words, [&state, words] { words->setChecked(state.unit() == Unit::Words); });
  colorRange = add(menu, tr("Colour &Range…"), "Ctrl+Alt+G", tr("Type from which to which value the colours go"));
  buildHiding(menu->addMenu(tr("&Hide Keys")));
  menu->addSeparator();
  buildComparing(menu);
  menu->addSeparator();
  find = add(menu, tr("&Find Tokens"), "Ctrl+F", tr("Mark the tokens with a text"));
  findNext = add(menu, tr("Find &Next"), "F3", tr("Go to the next token that was found"));
  findPrevious = add(menu, tr("Find Pre&vious"), "Shift+F3", tr("Go to the token before that was found"));
}

QAction* MapMenu::add(QMenu* menu, const QString& text, const char* key, const QString& toolTip) {
  QAction* action = menu->addAction(text);
  action->setShortcut(QKeySequence(key));
  action->setToolTip(toolTip);
  action->setStatusTip(toolTip);
  return action;
}

void MapMenu::buildHiding(QMenu* menu) {
  const auto hide = [this](core::KeySet keys) { m_state.setHiddenKeys(keys); };
  connect(add(menu, tr("&Nothing"), "Shift+H", tr("All keys are drawn")), &QAction::triggered, this,
          [hide] { hide({}); });
  connect(add(menu, tr("&First Key"), "H", tr("Heads often park their attention there, and nothing else is seen")),
          &QAction::triggered, this, [hide] { hide(core::KeySet({0})); });
  hideFirst = add(menu, tr("First &Keys…"), "Ctrl+Alt+H", tr("Type how many of the first keys are not drawn"));
  QAction* found = add(menu, tr("What the &Search Found"), "Ctrl+Alt+F", tr("The tokens that the search marks"));
  connect(found, &QAction::triggered, this, [this, hide] { hide(m_state.matches()); });
  const auto follow = [this, found] { found->setEnabled(!m_state.matches().empty()); };
  connect(&m_state, &ViewState::matchesChanged, found, follow);
  follow();
}

void MapMenu::buildComparing(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  struct Row {
    Shown shown;
    QString text;
    const char* key;
    QString toolTip;
  };
  const Row rows[] = {
      {Shown::Heads, tr("Heads Side by &Side"), "6", tr("The selected head and the pinned ones")},
      {Shown::Mean, tr("&Mean of the Heads"), "7", tr("One map: the mean of the selected head and the pinned ones")},
      {Shown::Difference, tr("&Difference"), "8", tr("The selected head less another head, layer, stage or run")}};
  for (const Row& row : rows) {
    QAction* action = add(menu, row.text, row.key, row.toolTip);
    action->setCheckable(true);
    action->setChecked(row.shown == m_state.shown());
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, shown = row.shown] { m_state.setShown(shown); });
    connect(&m_state, &ViewState::mapsChanged, action,
            [this, action, shown = row.shown] { action->setChecked(m_state.shown() == shown); });
  }
  menu->addSeparator();
  connect(add(menu, tr("P&in Head"), "P", tr("Keep the selected head beside others, or release it")),
          &QAction::triggered, this, [this] { m_state.togglePinned(m_state.head()); });
  connect(add(menu, tr("&Unpin All Heads"), "Shift+P", tr("Only the selected head is shown")), &QAction::triggered,
          this, [this] { m_state.setPinnedHeads({}); });
  QAction* keep = add(menu, tr("&Keep This Run"), "Ctrl+K", tr("Later runs can be compared with it (Difference)"));
  QAction* forget = add(menu, tr("F&orget the Kept Run"), "Ctrl+Shift+K", tr("Free its memory"));
  connect(keep, &QAction::triggered, this, [this] { m_state.keepCapture(); });
  connect(forget, &QAction::triggered, this, [this] { m_state.forgetKeptCapture(); });
  const auto follow = [this, keep, forget] {
    keep->setEnabled(m_state.capture() && m_state.keptCapture() != m_state.capture());
    forget->setEnabled(m_state.keptCapture() != nullptr);
  };
  connect(&m_state, &ViewState::mapsChanged, keep, follow);
  connect(&m_state, &ViewState::captureChanged, keep, follow);
  follow();
}

}  // namespace app
