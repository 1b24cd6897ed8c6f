#include "widgets/heatmap/segmented_buttons.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QToolButton>

#include "widgets/heatmap/accents.h"

namespace widgets {

SegmentedButtons::SegmentedButtons(QWidget* parent) : QWidget(parent), m_group(new QButtonGroup(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  connect(m_group, &QButtonGroup::idClicked, this, &SegmentedButtons::chosen);
}

void SegmentedButtons::addButton(int id, const QString& text, const QString& toolTip) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(toolTip);
  button->setCheckable(true);
  button->setFocusPolicy(Qt::TabFocus);
  m_group->addButton(button, id);
  layout()->addWidget(button);
  applyStyle();
}

void SegmentedButtons::setCurrent(int id) {
  if (QAbstractButton* button = m_group->button(id)) button->setChecked(true);
}

void SegmentedButtons::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) applyStyle();
  QWidget::changeEvent(event);
}

void SegmentedButtons::applyStyle() {
  const QString line = blended(palette(), 0.22).name();
  const QString ground = palette().color(QPalette::Base).name();
  const QString hover = blended(palette(), 0.07).name();
  const QString text = palette().color(QPalette::Text).name();
  const QString plain = QStringLiteral(
                            "QToolButton { border: 1px solid %1; border-left: none; border-radius: 0; padding: 3px 8px;"
                            " background: %2; color: %3; }"
                            "QToolButton:hover { background: %4; }"
                            "QToolButton:checked { background: %5; color: white; border-color: %5; }"
                            "QToolButton:focus { text-decoration: underline; }")
                            .arg(line, ground, text, hover, kActionAccent.name());
  const QList<QAbstractButton*> buttons = m_group->buttons();
  for (QAbstractButton* button : buttons) {
    QString style = plain;
    if (button == buttons.first())
      style +=
          QStringLiteral(
              "QToolButton { border-left: 1px solid %1; border-top-left-radius: 4px; border-bottom-left-radius: 4px; }")
              .arg(line);
    if (button == buttons.last())
      style += QStringLiteral("QToolButton { border-top-right-radius: 4px; border-bottom-right-radius: 4px; }");
    if (button->styleSheet() != style) button->setStyleSheet(style);
  }
}

}  // namespace widgets
