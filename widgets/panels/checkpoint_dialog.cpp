#include "widgets/panels/checkpoint_dialog.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace widgets {

QDialog* chooseCheckpoint(const QString& location, const std::vector<core::Openable>& offers, QWidget* parent,
                          std::function<void(const core::Openable&)> chosen) {
  const auto text = [](const char* source) { return QCoreApplication::translate("widgets::CheckpointDialog", source); };
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(text("Which checkpoint?"));
  auto* question =
      new QLabel(text("%1 holds %2 checkpoints. Which one is to be opened?").arg(location).arg(offers.size()), dialog);
  question->setTextFormat(Qt::PlainText);
  question->setWordWrap(true);
  auto* list = new QListWidget(dialog);
  list->setAccessibleName(text("Checkpoints"));
  for (const core::Openable& offer : offers) {
    auto* item = new QListWidgetItem(QString::fromStdString(offer.label), list);
    item->setToolTip(QString::fromStdString(offer.path.string()));
  }
  list->setCurrentRow(0);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, dialog);
  buttons->button(QDialogButtonBox::Open)->setDefault(true);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(question);
  layout->addWidget(list, 1);
  layout->addWidget(buttons);

  QObject::connect(list, &QListWidget::itemDoubleClicked, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(dialog, &QDialog::accepted, dialog, [list, offers, chosen = std::move(chosen)] {
    if (const int row = list->currentRow(); row >= 0) chosen(offers[static_cast<std::size_t>(row)]);
  });
  const int lines = std::clamp(static_cast<int>(offers.size()), 4, 20);
  dialog->resize(520, lines * (list->fontMetrics().height() + 6) + 130);
  dialog->open();
  list->setFocus();
  return dialog;
}

}  // namespace widgets
