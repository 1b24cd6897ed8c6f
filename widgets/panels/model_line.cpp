#include "widgets/panels/model_line.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include "widgets/panels/look.h"

namespace widgets {

QString modelDetails(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  const auto text = [](const char* source) { return QCoreApplication::translate("widgets::ModelLine", source); };
  QString heads = text("%1 layers × %2 heads").arg(config.layers).arg(config.heads);
  if (config.kvHeads != config.heads) heads += text(" on %1 kv").arg(config.kvHeads);
  return QStringList{QString::fromStdString(config.family),   heads,
                     QString("D %1").arg(config.headSize),    text("context %1").arg(config.context),
                     QString::fromStdString(info.storedType), QString::fromStdString(info.device)}
      .join(" · ");
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
  m_geluLabel = mutedLabel(tr("GELU"), this);
  m_gelu = new QComboBox(this);
  m_gelu->addItems({"erf", "tanh"});
  const QString geluTip =
      tr("The MLP's activation. Checkpoints of nanoGPT from before 17 May 2023 were trained with tanh, which the file "
         "does not tell.");
  m_gelu->setToolTip(geluTip);
  m_gelu->setAccessibleName(tr("GELU"));
  m_badge = new QLabel(tr("changed for this run"), this);
  m_badge->setMargin(3);
  m_report = new QToolButton(this);
  m_report->setText(tr("Load report"));
  m_report->setToolTip(tr("What was read, ignored and changed when the model was opened"));

  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 5, 10, 5);
  layout->setSpacing(8);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_open, m_name}) layout->addWidget(widget);
  layout->addWidget(m_detailsLabel, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_geluLabel, m_gelu, m_badge, m_report})
    layout->addWidget(widget);

  connect(m_open, &QToolButton::clicked, this, [this] { Q_EMIT openRequested(); });
  connect(m_report, &QToolButton::clicked, this, [this] { Q_EMIT reportRequested(); });
  connect(m_gelu, &QComboBox::activated, this, [this] {
    showBadge();
    Q_EMIT geluChosen(gelu());
  });
  setNothing();
}

core::Gelu ModelLine::gelu() const { return m_gelu->currentIndex() == 0 ? core::Gelu::Erf : core::Gelu::Tanh; }

void ModelLine::setGelu(core::Gelu gelu) {
  m_gelu->setCurrentIndex(gelu == core::Gelu::Erf ? 0 : 1);
  showBadge();
}

void ModelLine::setModel(const core::ModelInfo& info) {
  m_info = info;
  m_name->setText(QString::fromStdString(info.name));
  m_name->setToolTip(QString::fromStdString(info.path.string()));
  m_details = modelDetails(info);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_geluLabel, m_gelu, m_report}) widget->show();
  setGelu(info.config.gelu);
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
  for (QWidget* widget : std::initializer_list<QWidget*>{m_geluLabel, m_gelu, m_report, m_badge}) widget->hide();
}

QString ModelLine::details() const { return m_details; }

void ModelLine::showDetails() {
  m_detailsLabel->setText(m_detailsLabel->fontMetrics().elidedText(m_details, Qt::ElideRight, m_detailsLabel->width()));
  m_detailsLabel->setToolTip(m_details);
  m_name->setVisible(m_info.has_value());
}

void ModelLine::showBadge() {
  const bool differs = m_info && gelu() != m_info->config.gelu;
  QPalette colors = palette();
  colors.setColor(QPalette::WindowText, warningColor(colors));
  m_badge->setPalette(colors);
  m_badge->setVisible(differs);
}

bool ModelLine::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_detailsLabel && event->type() == QEvent::Resize) showDetails();
  return QWidget::eventFilter(watched, event);
}

}  // namespace widgets
