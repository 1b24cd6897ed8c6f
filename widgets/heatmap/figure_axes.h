// The sides of a figure's maps: tokens, thinned where they are dense, and what the axis is.
#pragma once

#include "widgets/heatmap/figure_drawing.h"
#include "widgets/heatmap/heatmap_geometry.h"

namespace widgets {

struct FigureInk {
  QColor ground, title, text, muted, line;
};

/// One side. Positions along it are in points from the map's first edge.
class FigureAxis {
 public:
  /// labels: of all cells of the map; empty: numbers.
  FigureAxis(Qt::Orientation orientation, core::PositionRange cells, double pointsPerCell, double length,
             const QStringList& labels);

  double thickness() const { return m_thickness; }  ///< of labels and ticks

  /// corner: the map's top left. Columns: above it; rows: at its left.
  void draw(std::vector<FigureItem>& items, const QPointF& corner, const FigureInk& ink) const;

 private:
  struct Label {
    double centre;
    QString text;
  };

  Qt::Orientation m_orientation;
  std::vector<Label> m_labels;
  bool m_upwards = false;  ///< turned
  bool m_hasTicks = false;
  double m_thickness = 0;
};

}  // namespace widgets
