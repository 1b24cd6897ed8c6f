// Token labels along a side of the map.
#pragma once

#include <QStringList>
#include <QWidget>
#include <optional>

#include "core/key_set.h"
#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

class TokenAxis : public QWidget {
  Q_OBJECT
 public:
  /// Horizontal: above the map, labels turned upright. Vertical: at its left.
  explicit TokenAxis(Qt::Orientation orientation, QWidget* parent = nullptr);

  void setLabels(const QStringList& labels);
  void setMapping(const AxisMapping& mapping);  ///< where the map's cells are, in device pixels
  void setHighlighted(std::optional<core::Position> cell);
  void setMarked(const core::KeySet& cells);  ///< with a mark beside the map, dense or not

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;  // tooltips
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void updateThickness();
  void paintMarks(QPainter& painter) const;
  bool isTurned() const;  // labels stand upright, reading upwards

  Qt::Orientation m_orientation;
  QStringList m_labels;
  AxisMapping m_mapping;
  std::optional<core::Position> m_highlighted;
  core::KeySet m_marked;
  int m_longest = 0;  // width of the longest label
  int m_thickness = 40;
};

}  // namespace widgets
