#include "widgets/panels/model_panel.h"

#include <QCoreApplication>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "widgets/panels/layer_table.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_facts.h"
#include "widgets/panels/settings_form.h"

namespace widgets {

QString differenceText(const std::vector<std::string>& differences) {
  if (differences.empty()) return {};
  QStringList phrases;
  for (const std::string& phrase : differences) phrases << QString::fromStdString(phrase);
  return QCoreApplication::translate("widgets", "differs from training: %1").arg(phrases.join("; "));
}

ModelPanel::ModelPanel(ViewState& state, QWidget* parent) : QScrollArea(parent), m_state(state) {
  QVBoxLayout* layout = makeScrollingColumn(*this);
  QWidget* content = widget();

  m_badge = new QLabel(content);
  m_badge->setWordWrap(true);
  m_badge->setTextFormat(Qt::PlainText);
  m_badge->hide();
  m_form = new SettingsForm(content);
  m_layers = new LayerTable(content);
  m_ropeBase = mutedLabel({}, content);
  m_origin = mutedLabel({}, content);
  m_origin->setWordWrap(true);
  m_origin->setTextFormat(Qt::PlainText);
  m_facts = new QGridLayout;
  m_facts->setHorizontalSpacing(14);
  m_facts->setVerticalSpacing(2);
  m_facts->setColumnStretch(1, 1);

  layout->addWidget(caption(tr("Settings of the run"), content));
  layout->addWidget(m_form);
  layout->addWidget(m_badge);  // below the fields, which stay in place when it comes
  layout->addSpacing(4);
  layout->addWidget(caption(tr("Windows"), content));
  layout->addWidget(m_layers);
  layout->addWidget(m_origin);
  layout->addWidget(m_ropeBase);
  layout->addSpacing(4);
  layout->addWidget(caption(tr("Facts"), content));
  layout->addLayout(m_facts);
  layout->addStretch(1);

  connect(m_form, &SettingsForm::chosen, this, &ModelPanel::overridesChosen);
  connect(&state, &ViewState::captureChanged, this, [this] { showRun(); });
}

void ModelPanel::setModel(const core::ModelInfo& info, const core::Overrides& applied) {
  m_info = info;
  m_form->setModel(info.config, applied);
  showFacts();
  showRun();
}

void ModelPanel::showFacts() {
  while (QLayoutItem* item = m_facts->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  for (const auto& [name, value] : modelFacts(*m_info)) {
    const int row = m_facts->rowCount();
    auto* text = new QLabel(value, widget());
    text->setWordWrap(true);
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setAccessibleName(name);
    m_facts->addWidget(mutedLabel(name, widget()), row, 0, Qt::AlignTop | Qt::AlignLeft);
    m_facts->addWidget(text, row, 1);
  }
}

void ModelPanel::showRun() {
  if (!m_info) return;
  const auto capture = m_state.capture();
  const core::RunSettings& settings = capture ? capture->facts().settings : m_info->config.trained;
  m_layers->setLayers(m_info->config, settings, capture ? std::optional(capture->size()) : std::nullopt);
  m_origin->setText(tr("Origin: %1.").arg(QString::fromStdString(core::windowOrigin(m_info->config, settings))));
  m_ropeBase->setText(tr("RoPE base of every layer: %1").arg(settingText(settings.ropeBase)));
  m_ropeBase->setVisible(m_info->config.positions == core::Positions::Rotary);
  const QString differs = capture ? differenceText(capture->facts().differences) : QString();
  m_badge->setText(differs);
  m_badge->setVisible(!differs.isEmpty());
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, warningColor(colors));
  m_badge->setPalette(colors);
}

void ModelPanel::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showRun();
}

}  // namespace widgets
