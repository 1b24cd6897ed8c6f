// Where the parts of the window are.
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QScreen>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>
#include <algorithm>

#include "app/main_menu.h"
#include "app/main_window.h"
#include "widgets/heatmap/heads_panel.h"
#include "widgets/heatmap/map_panel.h"
#include "widgets/panels/head_numbers.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/model_panel.h"
#include "widgets/panels/prompt_panel.h"
#include "widgets/panels/token_strip.h"

namespace app {

using widgets::Card;
using widgets::PromptPanel;
using widgets::TokenStrip;

namespace {

constexpr QSize kFirstSize{1460, 900};
constexpr int kGap = 8;

/// A dock that looks like a card: the title is its top, the content its bottom.
QDockWidget* makeDock(const QString& title, const QString& name, QLayout* content, QMainWindow* window) {
  auto* dock = new QDockWidget(title, window);
  dock->setObjectName(name);
  auto* top = new Card(Card::Corners::Top, dock);
  auto* topLayout = new QHBoxLayout(top);
  topLayout->setContentsMargins(10, 7, 10, 3);
  QLabel* caption = widgets::caption(title, top);
  topLayout->addWidget(caption);
  topLayout->addStretch(1);
  dock->setTitleBarWidget(top);
  auto* bottom = new Card(Card::Corners::Bottom, dock);
  content->setContentsMargins(1, 0, 1, 1);
  bottom->setLayout(content);
  dock->setWidget(bottom);
  const auto showCaption = [dock, caption, window] {
    const QList<QDockWidget*> beside = window->tabifiedDockWidgets(dock);
    // Where there are tabs, they say it already.
    caption->setVisible(std::none_of(beside.begin(), beside.end(),
                                     [](const QDockWidget* other) { return other->toggleViewAction()->isChecked(); }));
  };
  QObject::connect(dock, &QDockWidget::visibilityChanged, caption, showCaption);
  QObject::connect(dock, &QDockWidget::dockLocationChanged, caption, showCaption);
  QObject::connect(dock, &QDockWidget::topLevelChanged, caption, showCaption);
  return dock;
}

/// Brings a dock to the front, or hides the one that is there. Qt's own action would hide a tab that nobody sees.
QAction* showAction(QDockWidget* dock, const QKeySequence& key) {
  auto* action = new QAction(dock->windowTitle(), dock);
  action->setCheckable(true);
  action->setChecked(true);
  action->setShortcut(key);
  const QAction* qtsOwn = dock->toggleViewAction();
  QObject::connect(qtsOwn, &QAction::toggled, action, &QAction::setChecked);
  QObject::connect(action, &QAction::triggered, dock, [dock, action, qtsOwn] {
    const bool isInFront = dock->isVisible() && !dock->visibleRegion().isEmpty();
    dock->setVisible(!isInFront);
    if (!isInFront) dock->raise();
    action->setChecked(qtsOwn->isChecked());
  });
  return action;
}

}  // namespace

void MainWindow::buildParts() {
  setContentsMargins(kGap, 0, kGap, 0);
  m_modelLine = new widgets::ModelLine(m_menu->recent, this);
  auto* bar = new QToolBar(tr("Model"), this);
  bar->setObjectName("model");
  bar->setMovable(false);
  bar->addWidget(m_modelLine);
  addToolBar(bar);

  auto* center = new QWidget(this);
  auto* centerLayout = new QVBoxLayout(center);
  centerLayout->setContentsMargins(0, 0, 0, 0);
  auto* card = new Card(Card::Corners::All, center);
  auto* cardLayout = new QVBoxLayout(card);
  cardLayout->setContentsMargins(2, 2, 2, 2);
  m_map = new widgets::MapPanel(m_state, m_jobs, card);
  cardLayout->addWidget(m_map);
  centerLayout->addWidget(card);
  setCentralWidget(center);

  m_status = new QLabel(this);
  m_status->setTextFormat(Qt::PlainText);
  m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  statusBar()->addWidget(m_status, 1);
}

void MainWindow::buildDocks() {
  m_heads = new widgets::HeadsPanel(m_state, m_jobs, this);
  m_heads->setMinimumWidth(240);
  auto* heads = new QVBoxLayout;
  heads->setSpacing(0);
  heads->addWidget(m_heads, 1);
  heads->addWidget(new widgets::HeadNumbers(*m_reader, this));
  auto* inspector = new QVBoxLayout;
  inspector->addWidget(new widgets::InspectorPanel(m_state, *m_reader, this));
  m_model = new widgets::ModelPanel(m_state, this);
  auto* model = new QVBoxLayout;
  model->addWidget(m_model);
  m_prompt = new PromptPanel(this);
  m_strip = new TokenStrip(m_state, *m_reader, this);
  auto* prompt = new QVBoxLayout;
  prompt->setSpacing(2);
  prompt->addWidget(m_prompt, 3);
  prompt->addWidget(m_strip, 2);

  QDockWidget* headsDock = makeDock(tr("Heads"), "heads", heads, this);
  QDockWidget* inspectorDock = makeDock(tr("Inspector"), "inspector", inspector, this);
  m_modelDock = makeDock(tr("Model"), "modelPanel", model, this);
  QDockWidget* promptDock = makeDock(tr("Prompt"), "prompt", prompt, this);
  addDockWidget(Qt::LeftDockWidgetArea, headsDock);
  addDockWidget(Qt::RightDockWidgetArea, inspectorDock);
  addDockWidget(Qt::BottomDockWidgetArea, promptDock);
  tabifyDockWidget(inspectorDock, m_modelDock);
  setTabPosition(Qt::RightDockWidgetArea, QTabWidget::North);
  inspectorDock->raise();
  resizeDocks({headsDock, inspectorDock}, {320, 280}, Qt::Horizontal);
  resizeDocks({promptDock}, {166}, Qt::Vertical);
  int number = 1;
  for (QDockWidget* dock : {headsDock, inspectorDock, promptDock, m_modelDock}) {
    m_menu->docks->addAction(showAction(dock, QKeySequence(QString("Ctrl+Shift+%1").arg(number++))));
  }
  resize(kFirstSize);
  m_firstLayout = saveState();
}

void MainWindow::restoreWindow() {
  if (!restoreGeometry(m_settings.geometry())) resize(kFirstSize);
  restoreState(m_settings.docks());
}

void MainWindow::resetLayout() {
  m_settings.forgetWindow();
  restoreState(m_firstLayout);
}

void MainWindow::fitToScreen() {
  const QRect available = screen()->availableGeometry();
  QRect frame = geometry();
  frame.setSize(frame.size().boundedTo(available.size()));
  if (!available.contains(frame)) {
    frame.moveLeft(std::clamp(frame.left(), available.left(), available.right() - frame.width() + 1));
    frame.moveTop(std::clamp(frame.top(), available.top(), available.bottom() - frame.height() + 1));
  }
  if (frame != geometry() && !isMaximized() && !isFullScreen()) setGeometry(frame);
}

}  // namespace app
