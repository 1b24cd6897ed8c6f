// A small dialog of a few text fields that says what is wrong with them as they are typed.
#pragma once

#include <QDialog>
#include <QStringList>
#include <functional>

class QLabel;
class QLineEdit;
class QPushButton;

namespace widgets {

struct FormField {
  QString name;
  QString value;
  QString help;
};

/// Opens without blocking and deletes itself.
class FormDialog : public QDialog {
  Q_OBJECT
 public:
  /// What is wrong with the values, as a sentence; empty: nothing, they can be taken.
  using Check = std::function<QString(const QStringList& values)>;

  FormDialog(const QString& title, const QList<FormField>& fields, Check check,
             std::function<void(const QStringList&)> take, QWidget* parent);

 private:
  QStringList values() const;
  void showProblem();

  QList<QLineEdit*> m_edits;
  QLabel* m_problem;
  QPushButton* m_ok;
  Check m_check;
};

}  // namespace widgets
