// A few labelled horizontal bars, painted: a chart library has no picture for bars as low as a line of text.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <vector>

namespace widgets {

struct Bar {
  QString label;  ///< "220 · ⏎"
  double value = 0;
  QString toolTip;
  friend bool operator==(const Bar&, const Bar&) = default;
};

/// The longest bar fills the track; the numbers stand beside it. As high as `rows` bars, whether there are as many or
/// not, so that nothing below it jumps.
class BarList : public QWidget {
  Q_OBJECT
 public:
  BarList(int rows, const QColor& color, QWidget* parent = nullptr);

  void setBars(std::vector<Bar> bars);
  const std::vector<Bar>& bars() const { return m_bars; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void barClicked(int index);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int rowHeight() const;
  int barAt(const QPoint& position) const;  ///< -1 for none

  int m_rows;
  QColor m_color;
  std::vector<Bar> m_bars;
};

}  // namespace widgets
