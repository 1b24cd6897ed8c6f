#include "app/main_menu.h"

#include <QActionGroup>
#include <QMenuBar>
#include <algorithm>
#include <vector>

#include "widgets/heatmap/map_words.h"

namespace app {

using widgets::Appearance;
using widgets::TokenStrip;
using widgets::ViewState;

namespace {

QString withoutMnemonic(QString text) { return text.remove('&').remove("…"); }

/// A submenu in which one of `values` is checked, the one that `current` tells; choosing calls `choose`.
template <class Values, class Name, class Current, class Choose>
QList<QAction*> addChoices(QMenu* menu, const Values& values, const QStringList& keys, Name name, Current current,
                           Choose choose) {
  auto* group = new QActionGroup(menu);
  QList<QAction*> actions;
  for (const auto value : values) {
    QAction* action = menu->addAction(name(value));
    action->setCheckable(true);
    action->setShortcut(QKeySequence(keys.value(actions.size())));
    group->addAction(action);
    actions << action;
    QObject::connect(action, &QAction::triggered, menu, [choose, value] { choose(value); });
  }
  QObject::connect(menu, &QMenu::aboutToShow, menu, [actions, values, current] {
    qsizetype i = 0;
    for (const auto value : values) actions.at(i++)->setChecked(value == current());
  });
  return actions;
}

void collectKeys(const QMenu& menu, const QString& path, QList<std::pair<QString, QString>>& rows) {
  for (const QAction* action : menu.actions()) {
    const QString name = path + withoutMnemonic(action->text());
    if (action->menu()) {
      collectKeys(*action->menu(), name + " ▸ ", rows);
      continue;
    }
    QStringList keys;
    for (const QKeySequence& key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
    if (!keys.isEmpty()) rows.append({keys.join(", "), name});
  }
}

}  // namespace

MainMenu::MainMenu(QMenuBar& bar, ViewState& state, QObject* parent) : QObject(parent), m_state(state), m_bar(bar) {
  buildFile(bar);
  buildEdit(bar);
  buildView(bar);
  map = new MapMenu(bar, state, this);
  buildRun(bar);
  buildHelp(bar);
}

QAction* MainMenu::add(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const QString& toolTip) {
  QAction* action = menu->addAction(text);
  action->setShortcuts(keys);
  action->setToolTip(toolTip);
  action->setStatusTip(toolTip);
  return action;
}

void MainMenu::buildFile(QMenuBar& bar) {
  QMenu* menu = bar.addMenu(tr("&File"));
  open = add(menu, tr("&Open…"), {QKeySequence("Ctrl+O")}, tr("Open a checkpoint file"));
  openFolder =
      add(menu, tr("Open &Folder…"), {QKeySequence("Ctrl+Shift+O")}, tr("Open a folder that holds a checkpoint"));
  recent = menu->addMenu(tr("Open &Recent"));
  openBundled =
      add(menu, tr("Open &Bundled Model"), {QKeySequence("Ctrl+B")}, tr("The small model that comes with the program"));
  samples = menu->addMenu(tr("Sa&mples"));
  reload = add(menu, tr("Re&load"), {QKeySequence("F5")}, tr("Read the checkpoint again"));
  verify = add(menu, tr("&Verify Checksums"), {QKeySequence("Ctrl+Shift+V")},
               tr("Read the whole checkpoint and compare it with the checksums that it carries"));
  chooseTokenizer = add(menu, tr("Choose &Tokenizer…"), {QKeySequence("Ctrl+T")},
                        tr("Read the checkpoint again with this tokenizer (tokenizer.json, tokenizer.pkl, meta.pkl)"));
  menu->addSeparator();
  openCapture = add(menu, tr("Open &Capture…"), {QKeySequence("Ctrl+Alt+O")},
                    tr("Look at attention that was saved: .npz, .npy or .safetensors of (layers, heads, T, T)"));
  QMenu* exports = menu->addMenu(tr("&Export"));
  exportFigure = add(exports, tr("&Figure…"), {QKeySequence("Ctrl+E")},
                     tr("What is shown as PNG, SVG or PDF, with title, axes and colour bar"));
  exportNumbers = add(exports, tr("&Numbers That Are Shown…"), {QKeySequence("Ctrl+Shift+E")},
                      tr("The part of the map on the screen as NPY, NPZ, CSV or safetensors"));
  exportHead = add(exports, tr("This &Head…"), {QKeySequence("Ctrl+Alt+E")}, tr("The weights of the selected head"));
  exportLayer =
      add(exports, tr("This &Layer…"), {QKeySequence("Ctrl+Alt+Shift+E")}, tr("The weights of all its heads"));
  exportCapture = add(exports, tr("Whole &Capture…"), {QKeySequence("Ctrl+S")},
                      tr("The weights of all heads with tokens and logits, to be opened again or by Python"));
  menu->addSeparator();
  quit = add(menu, tr("&Quit"), {QKeySequence("Ctrl+Q")}, tr("Close the window; it comes back as it was"));
}

void MainMenu::buildEdit(QMenuBar& bar) {
  QMenu* menu = bar.addMenu(tr("&Edit"));
  undo = add(menu, tr("&Undo in Prompt"), {QKeySequence("Ctrl+Z")}, tr("Take back the last change of the prompt"));
  redo = add(menu, tr("&Redo in Prompt"), {QKeySequence("Ctrl+Shift+Z")}, tr("Make the change of the prompt again"));
  menu->addSeparator();
  editPrompt = add(menu, tr("Edit &Prompt"), {QKeySequence("Ctrl+L")}, tr("Put the cursor into the prompt"));
  promptIsIds = add(menu, tr("Prompt as Token &Ids"), {QKeySequence("Ctrl+I")}, tr("Write token ids in place of text"));
  promptIsIds->setCheckable(true);
  beginWithPrefix = add(menu, tr("&Begin as Training Did"), {QKeySequence("Ctrl+Shift+B")},
                        tr("Put before the text what training began every text with"));
  beginWithPrefix->setCheckable(true);
  beginWithPrefix->setChecked(true);
  beginWithPrefix->setEnabled(false);  // until a model has such a token
  menu->addSeparator();
  copyFigure = add(menu, tr("&Copy Map"), {QKeySequence("Ctrl+C")},
                   tr("The map as a figure, with its axes and colour bar, to the clipboard"));
  copyValues = add(menu, tr("Copy &Values"), {QKeySequence("Ctrl+Shift+C")},
                   tr("The numbers of the map that are shown, to the clipboard, for a spreadsheet"));
  copySnippet = add(menu, tr("Copy Python &Snippet"), {QKeySequence("Ctrl+Alt+P")},
                    tr("The lines of Python that load the last file of numbers"));
  copySnippet->setEnabled(false);  // until there is such a file
}

void MainMenu::buildView(QMenuBar& bar) {
  QMenu* menu = bar.addMenu(tr("&View"));
  zoomIn = add(menu, tr("Zoom &In"), {QKeySequence("Ctrl++"), QKeySequence("Ctrl+=")}, tr("Larger cells (wheel)"));
  zoomOut = add(menu, tr("Zoom &Out"), {QKeySequence("Ctrl+-")}, tr("Smaller cells (wheel)"));
  fit = add(menu, tr("&Fit"), {QKeySequence("Ctrl+0"), QKeySequence("Home")}, tr("The whole map (double click)"));
  oneToOne = add(menu, tr("&1:1"), {QKeySequence("Ctrl+1")}, tr("One pixel a cell"));
  menu->addSeparator();
  buildChoices(menu);
  menu->addSeparator();
  buildSteps(menu);
  menu->addSeparator();
  docks = menu->addMenu(tr("&Docks"));
  resetLayout =
      add(menu, tr("&Reset Layout"), {QKeySequence("Ctrl+Shift+R")}, tr("Docks and sizes as at the first start"));
  QMenu* appearance = menu->addMenu(tr("&Appearance"));
  m_appearances = addChoices(
      appearance, std::vector{Appearance::System, Appearance::Light, Appearance::Dark},
      {"Ctrl+F2", "Ctrl+F3", "Ctrl+F4"},
      [](Appearance value) {
        return value == Appearance::System  ? tr("As the &System")
               : value == Appearance::Light ? tr("&Light")
                                            : tr("&Dark");
      },
      [this] {
        for (qsizetype i = 0; i < m_appearances.size(); ++i)
          if (m_appearances[i]->isChecked()) return static_cast<Appearance>(i);
        return Appearance::System;
      },
      [this](Appearance value) { Q_EMIT appearanceChosen(value); });
}

void MainMenu::buildChoices(QMenu* view) {
  addChoices(
      view->addMenu(tr("&Stage")), widgets::kStages, {"1", "2", "3", "4", "5"}, &widgets::stageName,
      [this] { return m_state.stage(); }, [this](core::Stage stage) { m_state.setStage(stage); });
  addChoices(
      view->addMenu(tr("S&cale")), widgets::kScales, {"Alt+1", "Alt+2", "Alt+3", "Alt+4", "Alt+5"}, &widgets::scaleName,
      [this] { return m_state.colours().scale; }, [this](widgets::Scale scale) { m_state.setScale(scale); });
  addChoices(
      view->addMenu(tr("&Colours")), widgets::kColormaps,
      {"Ctrl+Alt+1", "Ctrl+Alt+2", "Ctrl+Alt+3", "Ctrl+Alt+4", "Ctrl+Alt+5", "Ctrl+Alt+6"}, &widgets::colormapName,
      [this] { return m_state.colours().colormap; }, [this](widgets::ColormapName name) { m_state.setColormap(name); });
  addChoices(
      view->addMenu(tr("Pi&xel of Several Cells")), std::vector{core::Reduction::Max, core::Reduction::Mean},
      {"Ctrl+Alt+M", "Ctrl+Alt+N"},
      [](core::Reduction value) {
        return value == core::Reduction::Max ? tr("Their &Largest Value") : tr("Their &Mean");
      },
      [this] { return m_state.colours().reduction; }, [this](core::Reduction value) { m_state.setReduction(value); });
  m_tints = addChoices(
      view->addMenu(tr("&Token Strip")), std::vector{TokenStrip::Tint::Row, TokenStrip::Tint::Column},
      {"Ctrl+Alt+R", "Ctrl+Alt+C"},
      [](TokenStrip::Tint tint) {
        return tint == TokenStrip::Tint::Row ? tr("Where the &Query Looks") : tr("Who Looks at the &Key");
      },
      [this] { return m_tints.value(1) && m_tints[1]->isChecked() ? TokenStrip::Tint::Column : TokenStrip::Tint::Row; },
      [this](TokenStrip::Tint tint) { Q_EMIT tintChosen(tint); });
}

void MainMenu::buildSteps(QMenu* view) {
  const auto step = [&](const QString& text, const char* key, int layers, int heads) {
    QAction* action = add(view, text, {QKeySequence(key)}, {});
    connect(action, &QAction::triggered, this, [this, layers, heads] {
      const core::HeadId head = m_state.head();
      m_state.setHead({core::Layer(head.layer.value + layers), core::Head(head.head.value + heads)});
    });
  };
  step(tr("Previous Layer"), "[", -1, 0);
  step(tr("Next Layer"), "]", 1, 0);
  step(tr("Previous Head"), "PgUp", 0, -1);
  step(tr("Next Head"), "PgDown", 0, 1);
  focusMap = add(view, tr("Move over the &Map"), {QKeySequence("Ctrl+M")},
                 tr("Gives the map the keyboard: arrow keys move the cell, Return pins it"));
  releasePin = add(view, tr("Release &Pin"), {QKeySequence("Esc")}, tr("The cell under the cursor is shown again"));
  releasePin->setEnabled(false);
}

void MainMenu::buildRun(QMenuBar& bar) {
  QMenu* menu = runMenu = bar.addMenu(tr("&Run"));
  run = add(menu, tr("&Run"), {QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter"), QKeySequence("Ctrl+R")},
            tr("Run the model on the prompt"));
  cancel = add(menu, tr("&Cancel"), {QKeySequence("Esc")}, tr("Stop the run or the opening"));
  cancel->setEnabled(false);
  menu->addSeparator();
  settings = add(menu, tr("Change &Settings"), {QKeySequence("Ctrl+Shift+M")},
                 tr("To the model panel: GELU, QK multiplier, RoPE base, soft cap, windows"));
  asTrained = add(menu, tr("As &Trained"), {QKeySequence("Ctrl+Shift+T")},
                  tr("Put all settings back and run the prompt again"));
}

void MainMenu::buildHelp(QMenuBar& bar) {
  QMenu* menu = bar.addMenu(tr("&Help"));
  shortcuts = add(menu, tr("&Keys"), {QKeySequence("F1")}, tr("All keys of the window"));
  report = add(menu, tr("&Load Report"), {QKeySequence("Ctrl+Shift+L")},
               tr("What was read, ignored and changed when the model was opened"));
  about = add(menu, tr("&About Headscope"), {QKeySequence("Shift+F1")}, tr("Versions, device, licence"));
}

void MainMenu::setAppearance(Appearance appearance) { m_appearances[static_cast<int>(appearance)]->setChecked(true); }

void MainMenu::setTint(TokenStrip::Tint tint) { m_tints[static_cast<int>(tint)]->setChecked(true); }

QList<std::pair<QString, QString>> MainMenu::keys() const {
  QList<std::pair<QString, QString>> rows;
  for (const QAction* action : m_bar.actions())
    if (action->menu()) collectKeys(*action->menu(), withoutMnemonic(action->text()) + " ▸ ", rows);
  rows.append({tr("Arrow keys"), tr("On the map: move the cell")});
  rows.append({tr("Return"), tr("On the map: pin or release the cell")});
  rows.append({tr("Wheel, drag, Shift+drag"), tr("On the map: zoom, move, zoom to a box")});
  rows.append({tr("Arrow keys"), tr("On the heads: choose a head")});
  return rows;
}

}  // namespace app
