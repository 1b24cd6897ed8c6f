#include "widgets/panels/dialogs.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/panels/model_facts.h"

namespace widgets {

namespace {

constexpr int kTableWidth = 680;
constexpr int kHighestTable = 600;  // fits the smallest screen; more scrolls

QString topicName(core::ReportLine::Topic topic) {
  using Topic = core::ReportLine::Topic;
  const auto text = [](const char* source) { return QCoreApplication::translate("widgets::LoadReport", source); };
  switch (topic) {
    case Topic::Family: return text("family");
    case Topic::Version: return text("version");
    case Topic::Read: return text("read");
    case Topic::Ignored: return text("ignored");
    case Topic::Patched: return text("changed");
    case Topic::Prefix: return text("prefix");
    case Topic::Tokenizer: return text("tokenizer");
    case Topic::Warning: return text("warning");
  }
  return {};
}

QString asText(const QList<std::pair<QString, QString>>& rows) {
  QString text;
  for (const auto& [name, value] : rows) text += name + '\t' + value + '\n';
  return text;
}

}  // namespace

QMessageBox* showError(const QString& title, const core::Error& error, QWidget* parent) {
  auto* box =
      new QMessageBox(QMessageBox::Warning, title, QString::fromStdString(error.what()), QMessageBox::Close, parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const std::string_view kind = core::name(error.kind());
  QString details = QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size()));
  if (!error.details().empty()) details += "\n" + QString::fromStdString(error.details());
  box->setDetailedText(details);
  box->setDefaultButton(QMessageBox::Close);  // else Return opens the details
  box->open();
  return box;
}

QDialog* showTable(const QString& title, const QList<std::pair<QString, QString>>& rows, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  auto* table = new QTextBrowser(dialog);  // long sentences wrap, and can be selected
  table->setAccessibleName(title);
  table->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // paths have no spaces
  QString html = "<table cellpadding=3>";
  for (const auto& [name, value] : rows) {
    html += QString("<tr><td style='white-space: nowrap; padding-right: 14px'><b>%1</b></td><td>%2</td></tr>")
                .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
  }
  table->setHtml(html + "</table>");
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QPushButton* copy =
      buttons->addButton(QCoreApplication::translate("widgets::Dialogs", "Copy"), QDialogButtonBox::ActionRole);
  QObject::connect(copy, &QPushButton::clicked, dialog, [rows] { QApplication::clipboard()->setText(asText(rows)); });
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  auto* layout = new QVBoxLayout(dialog);
  layout->addWidget(table);
  layout->addWidget(buttons);
  table->document()->setTextWidth(kTableWidth - 60);  // as it is inside the margins: long sentences take several lines
  const int height = static_cast<int>(table->document()->size().height()) + 90;
  dialog->resize(kTableWidth, std::clamp(height, 200, kHighestTable));
  dialog->open();
  return dialog;
}

QDialog* showLoadReport(const core::ModelInfo& info, QWidget* parent) {
  const QLocale locale;
  const auto text = [](const char* source) { return QCoreApplication::translate("widgets::LoadReport", source); };
  QList<std::pair<QString, QString>> rows{
      {text("file"), QString::fromStdString(info.path.string())},
      {text("parameters"), locale.toString(static_cast<qlonglong>(info.parameters))},
      {text("weights read"), locale.formattedDataSize(info.bytesRead)},
  };
  rows += trainedSettings(info.config);
  for (const core::ReportLine& line : info.report)
    rows.append({topicName(line.topic), QString::fromStdString(line.text)});
  return showTable(text("Load report: %1").arg(QString::fromStdString(info.name)), rows, parent);
}

}  // namespace widgets
