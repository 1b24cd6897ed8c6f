// The menu of the heads, and the bar over the grid with the same choices.
#include <QAction>
#include <QActionGroup>
#include <QBoxLayout>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/heads_panel.h"
#include "widgets/state/head_words.h"

namespace widgets {

namespace {

/// Of the orders by number: the letters that text fields leave to menus are few, and these are near the names.
constexpr const char* kOrderKeys[] = {"Shift+E", "Shift+N", "Shift+K", "Shift+C", "Shift+D",
                                      "Shift+S", "Shift+V", "Shift+F", "Shift+W"};
static_assert(std::size(kOrderKeys) == core::kHeadMetrics.size());

QString capital(const QString& text) { return text.left(1).toUpper() + text.mid(1); }

}  // namespace

QAction* HeadsPanel::addAction(QMenu* menu, const QString& text, const char* key, const QString& toolTip) {
  QAction* action = menu->addAction(text);
  action->setShortcut(QKeySequence(key));
  action->setToolTip(toolTip);
  action->setStatusTip(toolTip);
  return action;
}

void HeadsPanel::buildMenus() {
  m_orders = m_menu->addMenu(tr("&Order"));
  auto* group = new QActionGroup(this);
  const auto addOrder = [&](const QString& text, const char* key, const QString& help, const core::HeadMetric* metric) {
    QAction* action = addAction(m_orders, text, key, help);
    action->setCheckable(true);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, metric] { orderBy(metric); });
  };
  addOrder(tr("&As Is"), "Shift+O", tr("Layer by layer; heads of a key/value head together"), nullptr);
  for (std::size_t i = 0; i < core::kHeadMetrics.size(); ++i) {
    const core::HeadMetric& metric = core::kHeadMetrics[i];
    addOrder(tr("By %1").arg(capital(metricName(metric))), kOrderKeys[i], metricHelp(metric), &metric);
  }
  m_orders->addSeparator();
  m_turnRound = addAction(m_orders, tr("&Turn Round"), "O", tr("Smallest first, or largest first again"));
  connect(m_turnRound, &QAction::triggered, this, [this] { orderBy(m_order); });

  m_layers = m_menu->addMenu(tr("&Layers"));
  m_onlyThisLayer = addAction(m_menu, tr("&Only This Layer"), "L", tr("The heads of the selected head's layer alone"));
  m_onlyThisLayer->setCheckable(true);
  connect(m_onlyThisLayer, &QAction::triggered, this,
          [this](bool on) { showLayer(on ? std::optional(m_state.head().layer) : std::nullopt); });
  connect(addAction(m_menu, tr("&Filter"), "F", tr("Type which heads are shown: previous > 0.3")), &QAction::triggered,
          this, [this] {
            m_filterEdit->setFocus(Qt::ShortcutFocusReason);
            m_filterEdit->selectAll();
          });
  connect(addAction(m_menu, tr("&Move over the Heads"), "Ctrl+H",
                    tr("Gives the small maps the keyboard: arrow keys choose a head, P pins it")),
          &QAction::triggered, this, [this] { m_grid->setFocus(Qt::ShortcutFocusReason); });
  m_menu->addSeparator();
  connect(addAction(m_menu, tr("Pin &All Heads of the Layer"), "Ctrl+Shift+P",
                    tr("Those of the selected head's layer, for their mean or side by side")),
          &QAction::triggered, this, [this] { pin(m_grid->model().headsOf(m_state.head().layer)); });
}

void HeadsPanel::fillLayers(int layers) {
  m_layers->clear();
  auto* group = new QActionGroup(m_layers);
  const auto addLayer = [&](const QString& text, std::optional<core::Layer> layer) {
    QAction* action = m_layers->addAction(text);
    action->setCheckable(true);
    action->setData(layer ? layer->value : -1);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, layer] { showLayer(layer); });
  };
  addLayer(tr("All"), std::nullopt);
  for (int l = 0; l < layers; ++l) addLayer(QString::number(l), core::Layer(l));
}

void HeadsPanel::buildBar() {
  for (QToolButton* button : {m_orderButton, m_layerButton}) {
    button->setPopupMode(QToolButton::InstantPopup);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    button->setAutoRaise(true);
  }
  m_orderButton->setMenu(m_orders);
  m_orderButton->setToolTip(tr("In which order the heads are shown; the same number again turns it round"));
  m_layerButton->setMenu(m_layers);
  m_layerButton->setToolTip(tr("Heads of which layers are shown"));
  m_directionButton->setAutoRaise(true);
  connect(m_directionButton, &QToolButton::clicked, m_turnRound, &QAction::trigger);

  QStringList names;
  for (const core::HeadMetric& metric : core::kHeadMetrics) names << metricShortName(metric);
  m_filterEdit->setPlaceholderText(tr("filter: previous > 0.3"));
  m_filterEdit->setClearButtonEnabled(true);
  m_filterEdit->setAccessibleName(tr("Filter of the heads"));
  m_filterEdit->setToolTip(tr("Only heads of which this is true are shown (F). Conditions can be joined with “and”.\n"
                              "Numbers of a head: %1")
                               .arg(names.join(QStringLiteral(", "))));
  m_filterEdit->installEventFilter(this);
  connect(m_filterEdit, &QLineEdit::textChanged, this, &HeadsPanel::setFilter);
  m_problem->setWordWrap(true);
  m_problem->setTextFormat(Qt::PlainText);
  m_problem->hide();

  auto* choices = new QHBoxLayout;
  choices->setSpacing(2);
  choices->addWidget(m_orderButton);
  choices->addWidget(m_directionButton);
  choices->addStretch(1);
  choices->addWidget(m_layerButton);
  auto* filter = new QHBoxLayout;
  filter->setSpacing(8);
  filter->addWidget(m_filterEdit, 1);
  filter->addWidget(m_count);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addLayout(choices);
  layout->addLayout(filter);
  layout->addWidget(m_problem);
  layout->addWidget(m_grid, 1);
  setFocusProxy(m_grid);
  applyPalette();
}

void HeadsPanel::showChoices() {
  const bool largest = m_direction == HeadOrder::LargestFirst;
  const auto chosen = m_order ? m_order - core::kHeadMetrics.data() + 1 : 0;
  m_orders->actions()[static_cast<int>(chosen)]->setChecked(true);
  m_turnRound->setEnabled(m_order != nullptr);
  m_orderButton->setText(m_order ? tr("by %1").arg(metricShortName(*m_order)) : tr("order: as is"));
  m_directionButton->setVisible(m_order != nullptr);
  m_directionButton->setText(largest ? QStringLiteral("↓") : QStringLiteral("↑"));
  m_directionButton->setToolTip(largest ? tr("Largest first; press for the smallest")
                                        : tr("Smallest first; press for the largest"));
  m_directionButton->setAccessibleName(largest ? tr("Largest first") : tr("Smallest first"));
  for (QAction* action : m_layers->actions())
    action->setChecked(action->data().toInt() == (m_layer ? m_layer->value : -1));
  m_layerButton->setText(tr("layers: %1").arg(m_layer ? QString::number(m_layer->value) : tr("all")));
  m_onlyThisLayer->setChecked(m_layer.has_value());
  m_count->setText(countText());
}

bool HeadsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_filterEdit || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  if (isReturn && key->modifiers().testFlag(Qt::ControlModifier)) return false;  // runs the prompt
  if (isReturn || key->key() == Qt::Key_Down) return m_grid->setFocus(Qt::OtherFocusReason), true;
  if (key->key() != Qt::Key_Escape || m_filterEdit->text().isEmpty()) return false;
  m_filterEdit->clear();
  return true;
}

void HeadsPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyPalette();
}

void HeadsPanel::applyPalette() {
  const auto tint = [this](QLabel* label, const QColor& colour) {
    QPalette colours = palette();
    colours.setColor(label->foregroundRole(), colour);
    label->setPalette(colours);
  };
  tint(m_count, blended(palette(), 0.66));
  tint(m_problem, warningColor(palette()));
}

}  // namespace widgets
