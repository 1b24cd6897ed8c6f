#include "widgets/panels/form_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/heatmap/accents.h"

namespace widgets {

FormDialog::FormDialog(const QString& title, const QList<FormField>& fields, Check check,
                       std::function<void(const QStringList&)> take, QWidget* parent)
    : QDialog(parent), m_problem(new QLabel(this)), m_check(std::move(check)) {
  setWindowTitle(title);
  setAttribute(Qt::WA_DeleteOnClose);
  auto* layout = new QVBoxLayout(this);
  auto* form = new QFormLayout;
  layout->addLayout(form);
  for (const FormField& field : fields) {
    auto* edit = new QLineEdit(field.value, this);
    edit->setAccessibleName(field.name);
    edit->setToolTip(field.help);
    edit->setMinimumWidth(220);
    form->addRow(field.name, edit);
    if (!field.help.isEmpty()) {
      auto* help = new QLabel(field.help, this);
      help->setWordWrap(true);
      form->addRow(QString(), help);
    }
    connect(edit, &QLineEdit::textChanged, this, [this] { showProblem(); });
    m_edits << edit;
  }
  QPalette colours = palette();
  colours.setColor(QPalette::WindowText, warningColor(colours));
  m_problem->setPalette(colours);
  m_problem->setWordWrap(true);
  m_problem->setMinimumHeight(2 * fontMetrics().height());
  layout->addWidget(m_problem);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  layout->addWidget(buttons);
  m_ok = buttons->button(QDialogButtonBox::Ok);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, this, [this, take = std::move(take)] {
    take(values());
    accept();
  });
  if (!m_edits.isEmpty()) m_edits.front()->selectAll();
  showProblem();
}

QStringList FormDialog::values() const {
  QStringList values;
  for (const QLineEdit* edit : m_edits) values << edit->text().trimmed();
  return values;
}

void FormDialog::showProblem() {
  const QString problem = m_check(values());
  m_problem->setText(problem);
  m_ok->setEnabled(problem.isEmpty());
}

}  // namespace widgets
