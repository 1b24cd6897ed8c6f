#include "widgets/panels/settings_form.h"

#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSignalBlocker>

#include "core/error.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_facts.h"

namespace widgets {

namespace {

/// Settings that are one number.
struct NumberRow {
  const char* name;
  const char* what;
  bool core::OverridesInUse::*inUse;
  std::optional<double> core::Overrides::*value;
  double core::RunSettings::*trained;
};

constexpr NumberRow kNumbers[] = {
    {QT_TRANSLATE_NOOP("widgets::SettingsForm", "QK multiplier"),
     QT_TRANSLATE_NOOP("widgets::SettingsForm", "q and k are multiplied by it after their norm."),
     &core::OverridesInUse::qkMultiplier, &core::Overrides::qkMultiplier, &core::RunSettings::qkMultiplier},
    {QT_TRANSLATE_NOOP("widgets::SettingsForm", "RoPE base"),
     QT_TRANSLATE_NOOP("widgets::SettingsForm", "The slowest pair of RoPE turns once in about 6 × base tokens."),
     &core::OverridesInUse::ropeBase, &core::Overrides::ropeBase, &core::RunSettings::ropeBase},
    {QT_TRANSLATE_NOOP("widgets::SettingsForm", "soft cap"),
     QT_TRANSLATE_NOOP("widgets::SettingsForm", "logits = cap × tanh(logits / cap); 0: no cap."),
     &core::OverridesInUse::softCap, &core::Overrides::softCap, &core::RunSettings::softCap},
};

// The order of the fields: GELU, the numbers, pattern, S window, mask.
constexpr std::size_t kGelu = 0, kFirstNumber = 1, kPattern = kFirstNumber + std::size(kNumbers),
                      kShortWindow = kPattern + 1, kMask = kShortWindow + 1;

constexpr core::MaskKind kMasks[] = {core::MaskKind::Causal, core::MaskKind::Bidirectional};

std::optional<double> numberIn(const QString& text) {
  bool isNumber = false;
  const double value = QLocale::c().toDouble(text, &isNumber);
  return isNumber ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> wholeNumberIn(const QString& text) {
  bool isNumber = false;
  const qlonglong value = QLocale::c().toLongLong(text, &isNumber);
  return isNumber ? std::optional<std::int64_t>(value) : std::nullopt;
}

const char* nameOf(core::Gelu gelu) { return gelu == core::Gelu::Erf ? "erf" : "tanh"; }

/// What the field of the pattern shows of these.
QString windowsIn(const core::Overrides& overrides) {
  if (overrides.windows) return QString::fromStdString(core::widthsText(*overrides.windows));
  return QString::fromStdString(overrides.pattern.value_or(""));
}

}  // namespace

SettingsForm::SettingsForm(QWidget* parent) : QWidget(parent) {
  m_grid = new QGridLayout(this);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(14);
  m_grid->setVerticalSpacing(4);
  m_grid->setColumnStretch(1, 1);

  m_gelu = new QComboBox(this);
  m_fields.push_back(addField(tr("GELU"), m_gelu, nullptr));
  for (const NumberRow& row : kNumbers) {
    auto* edit = new QLineEdit(this);
    m_fields.push_back(addField(tr(row.name), edit, edit));
  }
  m_pattern = new QComboBox(this);
  m_pattern->setEditable(true);
  m_pattern->setInsertPolicy(QComboBox::NoInsert);
  m_pattern->addItems({"L", "SL", "SSSL"});
  m_pattern->setCompleter(nullptr);  // "S" is a pattern, not the beginning of "SSSL"
  // A combo box takes a text that is one of its items for a choice when the field is left. Only Return and Apply apply.
  m_pattern->lineEdit()->disconnect(SIGNAL(editingFinished()), m_pattern);
  m_fields.push_back(addField(tr("pattern"), m_pattern, m_pattern->lineEdit()));
  auto* window = new QLineEdit(this);
  m_fields.push_back(addField(tr("S window"), window, window));
  m_mask = new QComboBox(this);
  m_fields.push_back(addField(tr("mask"), m_mask, nullptr));

  m_apply = new QPushButton(tr("Apply"), this);
  m_apply->setToolTip(tr("Run the prompt again with these settings (Return)"));
  m_asTrained = new QPushButton(tr("As trained"), this);
  m_asTrained->setToolTip(tr("Put all settings back and run the prompt again (Ctrl+Shift+T)"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_apply);
  buttons->addWidget(m_asTrained);
  buttons->addStretch(1);
  m_grid->addLayout(buttons, m_grid->rowCount(), 0, 1, 2);

  for (QComboBox* box : {m_gelu, m_mask}) {
    connect(box, &QComboBox::activated, this, [this] {
      validate();
      apply();
    });
  }
  connect(m_pattern, &QComboBox::activated, this, [this] { apply(); });
  connect(m_apply, &QPushButton::clicked, this, [this] { apply(); });
  connect(m_asTrained, &QPushButton::clicked, this, [this] { asTrained(); });
  hide();  // until there is a model
}

SettingsForm::Field SettingsForm::addField(const QString& name, QWidget* editor, QLineEdit* edit) {
  Field field{mutedLabel(name, this), editor, edit, new QLabel(this)};
  editor->setAccessibleName(name);
  editor->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  editor->setMinimumWidth(60);
  field.problem->setWordWrap(true);
  field.problem->setTextFormat(Qt::PlainText);
  field.problem->hide();
  const int row = m_grid->rowCount();
  m_grid->addWidget(field.name, row, 0);
  m_grid->addWidget(editor, row, 1);
  m_grid->addWidget(field.problem, row + 1, 0, 1, 2);
  if (edit) {
    connect(edit, &QLineEdit::textChanged, this, [this] { validate(); });
    connect(edit, &QLineEdit::returnPressed, this, [this] { apply(); });
  }
  return field;
}

void SettingsForm::setField(const Field& field, bool inUse, const QString& trained, const QString& toolTip) {
  field.name->setVisible(inUse);
  field.editor->setVisible(inUse);
  const QString tip = toolTip.trimmed();
  for (QWidget* widget : std::initializer_list<QWidget*>{field.name, field.editor}) widget->setToolTip(tip);
  if (field.edit) field.edit->setPlaceholderText(trained);
}

void SettingsForm::setModel(const core::ModelConfig& config, const core::Overrides& applied) {
  m_config = config;
  m_applied = applied;
  const core::OverridesInUse inUse = core::overridesInUse(config);
  const core::RunSettings& trained = config.trained;
  const QString version = QString::fromStdString(config.version.empty() ? config.family : config.version);
  const auto tip = [](const QString& what, const QString& value, const QString& origin) {
    return what + "\n" + tr("As trained: %1 (%2). Empty: as trained.").arg(value, origin);
  };

  const QSignalBlocker quiet(m_gelu);
  m_gelu->clear();
  for (const core::Gelu gelu : {core::Gelu::Erf, core::Gelu::Tanh})
    m_gelu->addItem(gelu == trained.gelu ? tr("%1, as trained").arg(nameOf(gelu)) : QString(nameOf(gelu)));
  m_gelu->setCurrentIndex(static_cast<int>(applied.gelu.value_or(trained.gelu)));
  setField(m_fields[kGelu], inUse.gelu, {},
           tr("The MLP's activation. Checkpoints of nanoGPT from before 17 May 2023 were trained with tanh, which the "
              "file does not tell.\nAs trained: %1 (%2).")
               .arg(nameOf(trained.gelu), version));
  for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
    const NumberRow& row = kNumbers[i];
    const Field& field = m_fields[kFirstNumber + i];
    const QString value = settingText(trained.*row.trained);
    setField(field, inUse.*row.inUse, value, tip(tr(row.what), value, version));
    const std::optional<double>& given = applied.*row.value;
    field.edit->setText(given ? settingText(*given) : QString());
  }
  const core::WindowRule& rule = config.windowRule;
  const QString origin = rule.origin.empty() ? version : QString::fromStdString(rule.origin);
  const QString letters =
      rule.pattern.empty() ? lettersOf(trained.windows, rule) : QString::fromStdString(rule.pattern);
  setField(m_fields[kPattern], true, letters,
           tip(tr("S: short window, L: long. Repeated over the layers; the last layer is always L.\n"
                  "Or how many tokens back each layer looks: 128, 128, all, 0. One width is of all layers."),
               letters, origin));
  m_fields[kPattern].edit->setText(windowsIn(applied));
  const QString left = rule.shortWindow.limited() ? QString::number(rule.shortWindow.left) : tr("no limit");
  setField(m_fields[kShortWindow], true, left,
           tr("How many tokens back an S layer looks: i − j ≤ S.") + "\n" +
               tr("Empty: %1 (%2).").arg(left, QString::fromStdString(core::shortWindowOrigin(config))));
  m_fields[kShortWindow].edit->setText(applied.shortWindow ? QString::number(*applied.shortWindow) : QString());

  const QSignalBlocker quietMask(m_mask);
  m_mask->clear();
  for (const core::MaskKind mask : kMasks)
    m_mask->addItem(mask == trained.mask ? tr("%1, as trained").arg(maskText(mask)) : maskText(mask));
  m_mask->setCurrentIndex(static_cast<int>(applied.mask.value_or(trained.mask)));
  setField(m_fields[kMask], true, {},
           tr("Causal: a query sees the keys before it. Bidirectional: those after it too, as in BERT; this model was "
              "not trained for that."));
  show();
  validate();
}

QString SettingsForm::read(std::size_t index, core::Overrides& overrides) const {
  if (index == kGelu) {
    const auto gelu = static_cast<core::Gelu>(m_gelu->currentIndex());
    if (core::overridesInUse(*m_config).gelu && gelu != m_config->trained.gelu) overrides.gelu = gelu;
    return {};
  }
  if (index == kMask) {
    const core::MaskKind mask = kMasks[m_mask->currentIndex()];
    if (mask != m_config->trained.mask) overrides.mask = mask;
    return {};
  }
  const QString text = m_fields[index].edit->text().trimmed();
  if (text.isEmpty()) return {};
  if (index == kPattern) {
    const std::string windows = text.toStdString();
    if (!core::isListOfWidths(windows)) {
      overrides.pattern = windows;
      return {};
    }
    try {
      overrides.windows = core::widthsOf(windows);
      return {};
    } catch (const core::Error& error) {
      return QString::fromStdString(error.what());
    }
  }
  if (index == kShortWindow) {
    overrides.shortWindow = wholeNumberIn(text);
    return overrides.shortWindow ? QString() : tr("'%1' is not a whole number.").arg(text);
  }
  const NumberRow& row = kNumbers[index - kFirstNumber];
  overrides.*row.value = numberIn(text);
  return overrides.*row.value ? QString() : tr("'%1' is not a number.").arg(text);
}

QString SettingsForm::readTogether(std::size_t index, core::Overrides& overrides) const {
  if (index == kShortWindow) {
    // What an S window is for depends on the pattern. While that can't be used, it has the problem, not this field.
    core::Overrides pattern, unchecked;
    if (!read(kPattern, pattern).isEmpty() || !problemOf(pattern).isEmpty()) return read(index, unchecked);
    overrides = pattern;
  }
  return read(index, overrides);
}

QString SettingsForm::problemOf(const core::Overrides& overrides) const {
  try {
    core::settingsFor(*m_config, overrides);
    return {};
  } catch (const core::Error& error) {
    return QString::fromStdString(error.what());
  }
}

void SettingsForm::validate() {
  if (!m_config) return;
  core::Overrides all;
  bool usable = true;
  for (std::size_t i = 0; i < m_fields.size(); ++i) {
    // Each field alone, so that the reason stands at the field that has it.
    core::Overrides one;
    QString problem = readTogether(i, one);
    if (problem.isEmpty()) problem = problemOf(one);
    if (problem.isEmpty()) read(i, all);
    usable = usable && problem.isEmpty();
    QLabel& label = *m_fields[i].problem;
    QPalette colors = palette();
    colors.setColor(QPalette::WindowText, warningColor(colors));
    label.setPalette(colors);
    label.setText(problem);
    label.setVisible(!problem.isEmpty());
  }
  m_entered = usable ? std::optional(all) : std::nullopt;
  m_apply->setEnabled(m_entered && *m_entered != m_applied);
  m_asTrained->setEnabled(m_entered != core::Overrides() || m_applied != core::Overrides());
}

void SettingsForm::apply() {
  if (!m_entered || *m_entered == m_applied) return;
  m_applied = *m_entered;
  validate();
  Q_EMIT chosen(m_applied);
}

void SettingsForm::asTrained() {
  if (!m_config) return;
  const bool changed = m_applied != core::Overrides();
  setModel(*m_config, {});
  if (changed) Q_EMIT chosen(m_applied);
}

void SettingsForm::focusFirst() {
  for (const Field& field : m_fields) {
    if (field.editor->isHidden()) continue;
    return field.editor->setFocus(Qt::ShortcutFocusReason);
  }
}

void SettingsForm::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) validate();
}

}  // namespace widgets
