// A row of joined buttons of which one is on.
#pragma once

#include <QWidget>

class QButtonGroup;

namespace widgets {

class SegmentedButtons : public QWidget {
  Q_OBJECT
 public:
  explicit SegmentedButtons(QWidget* parent = nullptr);

  void addButton(int id, const QString& text, const QString& toolTip);
  void setCurrent(int id);  ///< without a signal

 Q_SIGNALS:
  void chosen(int id);  ///< by the user

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void applyStyle();

  QButtonGroup* m_group;
};

}  // namespace widgets
