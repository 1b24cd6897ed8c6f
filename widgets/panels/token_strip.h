// The prompt as a line of tokens, tinted by what the selected query looks at (or by who looks at the selected key).
#pragma once

#include <QAbstractScrollArea>
#include <vector>

#include "widgets/panels/cell_reader.h"

namespace widgets {

class TokenStrip : public QAbstractScrollArea {
  Q_OBJECT
 public:
  /// Row: where the selected query looks. Column: which queries look at the selected key.
  enum class Tint { Row, Column };

  TokenStrip(ViewState& state, CellReader& reader, QWidget* parent = nullptr);

  void setTint(Tint tint);
  Tint tint() const { return m_tint; }

  QRect chipRect(core::Position position) const;  ///< in the viewport
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void measureTokens();
  void placeChips();
  void followCell();
  const std::vector<float>* values() const;  ///< weights for the tint; null when there are none
  std::optional<core::Position> chipAt(const QPoint& position) const;
  int lineHeight() const;
  Cell cellOf(core::Position position) const;

  ViewState& m_state;
  CellReader& m_reader;
  Tint m_tint = Tint::Row;
  std::vector<QString> m_labels;
  std::vector<int> m_widths;
  std::vector<QPoint> m_places;  // top left of each chip, in the whole strip
};

}  // namespace widgets
