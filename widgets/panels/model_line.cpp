#include "widgets/panels/model_line.h"

#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include "widgets/panels/look.h"
#include "widgets/panels/model_panel.h"

namespace widgets {

namespace {

constexpr int kBadgeShare = 3;  // a badge takes up to a third of the line; the rest is in its tool tip and the panel

}  // namespace

QString modelDetails(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  const auto text = [](const char* source) { return QCoreApplication::translate("widgets::ModelLine", source); };
  QString heads = text("%1 layers × %2 heads").arg(config.layers).arg(config.heads);
  if (config.kvHeads != config.heads) heads += text(" on %1 kv").arg(config.kvHeads);
  QStringList parts{QString::fromStdString(config.family)};
  if (!config.version.empty()) parts << QString::fromStdString(config.version);
  parts << heads << QString("D %1").arg(config.headSize) << text("context %1").arg(config.context);
  // Which of the two trained a checkpoint is not always known: what is used is said.
  if (config.mlp == core::Mlp::Gelu) parts << (config.trained.gelu == core::Gelu::Erf ? "GELU erf" : "GELU tanh");
  parts << QString::fromStdString(info.storedType) << QString::fromStdString(info.device);
  return parts.join(" · ");
}

ModelLine::ModelLine(QMenu* recent, QWidget* parent) : QWidget(parent) {
  m_open = new QToolButton(this);
  m_open->setText(tr("Open"));
  m_open->setToolTip(tr("Open a checkpoint (Ctrl+O); the arrow lists recent ones"));
  m_open->setPopupMode(QToolButton::MenuButtonPopup);
  m_open->setMenu(recent);
  m_name = new QLabel(this);
  m_name->setTextFormat(Qt::PlainText);
  QFont bold = m_name->font();
  bold.setBold(true);
  m_name->setFont(bold);
  m_detailsLabel = mutedLabel({}, this);
  m_detailsLabel->setTextFormat(Qt::PlainText);
  m_detailsLabel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_detailsLabel->installEventFilter(this);
  m_badge = new QLabel(this);
  m_badge->setTextFormat(Qt::PlainText);
  m_badge->setMargin(3);
  // A tool bar gives its children the text colour of buttons.
  for (QLabel* label : {m_detailsLabel, m_badge}) label->setForegroundRole(QPalette::WindowText);
  m_model = new QToolButton(this);
  m_model->setText(tr("Model"));
  m_model->setToolTip(tr("What the model is, its windows, and the settings of the run (Ctrl+Shift+M)"));
  m_report = new QToolButton(this);
  m_report->setText(tr("Load report"));
  m_report->setToolTip(tr("What was read, ignored and changed when the model was opened"));

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 5, 10, 5);
  layout->setSpacing(8);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_open, m_name}) layout->addWidget(widget);
  layout->addWidget(m_detailsLabel, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_badge, m_model, m_report}) layout->addWidget(widget);

  connect(m_open, &QToolButton::clicked, this, [this] { Q_EMIT openRequested(); });
  connect(m_report, &QToolButton::clicked, this, [this] { Q_EMIT reportRequested(); });
  connect(m_model, &QToolButton::clicked, this, [this] { Q_EMIT modelRequested(); });
  setNothing();
}

void ModelLine::setDifferences(const std::vector<std::string>& differences) {
  m_differences = differenceText(differences);
  showBadge();
}

void ModelLine::setModel(const core::ModelInfo& info) {
  m_info = info;
  m_name->setText(QString::fromStdString(info.name));
  m_name->setToolTip(QString::fromStdString(info.path.string()));
  m_details = modelDetails(info);
  for (QToolButton* button : {m_model, m_report}) button->show();
  showDetails();
}

void ModelLine::setLoading(const QString& what) {
  m_details = !what.isEmpty() ? what : m_info ? modelDetails(*m_info) : tr("no model open");
  showDetails();
}

void ModelLine::setNothing() {
  m_info.reset();
  m_name->clear();
  setLoading({});
  for (QToolButton* button : {m_model, m_report}) button->hide();
  setDifferences({});
}

QString ModelLine::details() const { return m_details; }

void ModelLine::showDetails() {
  m_detailsLabel->setText(m_detailsLabel->fontMetrics().elidedText(m_details, Qt::ElideRight, m_detailsLabel->width()));
  m_detailsLabel->setToolTip(m_details);
  m_name->setVisible(m_info.has_value());
}

void ModelLine::showBadge() {
  m_badge->setText(m_badge->fontMetrics().elidedText(m_differences, Qt::ElideRight, width() / kBadgeShare));
  m_badge->setToolTip(m_differences);
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, warningColor(colors));
  m_badge->setPalette(colors);
  m_badge->setVisible(!m_differences.isEmpty());
}

void ModelLine::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showBadge();
}

void ModelLine::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showBadge();
}

bool ModelLine::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_detailsLabel && event->type() == QEvent::Resize) showDetails();
  return QWidget::eventFilter(watched, event);
}

}  // namespace widgets
