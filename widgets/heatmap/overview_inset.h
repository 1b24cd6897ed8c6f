// The whole map small in a corner while a part of it is shown, with the part framed.
#pragma once

#include <QImage>
#include <QPainter>
#include <QRect>
#include <optional>

#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/tile_cache.h"

namespace widgets {

class OverviewInset {
 public:
  /// Nothing when all of the map is on the screen. whole: the tile that covers the whole map; null until computed, then
  /// only the frame is drawn. view and the result of place() are in logical pixels.
  void paint(QPainter& painter, const QRect& view, const MapPicture& shown, const Tile& whole, double devicePixelRatio);

  QRect place() const { return m_place; }  ///< where it was painted; empty when it was not

  /// Row and column of the map under a position inside place().
  std::pair<double, double> cellAt(const QPointF& position) const;

 private:
  void updateImage(const MapPicture& shown, const Tile& whole, const QSize& pixels);

  QRect m_place;
  double m_rows = 0;  // cells
  double m_columns = 0;
  QImage m_image;
  Tile m_imageOf;
  std::shared_ptr<const ColourTable> m_colours;
  Rgb m_ground = 0;
};

}  // namespace widgets
