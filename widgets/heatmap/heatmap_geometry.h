// Which cell is under which pixel: zoom, pan, fit and the level of detail, in device pixels and double precision.
#pragma once

#include <cstdint>
#include <optional>

#include "core/map_values.h"

namespace widgets {

/// One direction of a map in its viewport. Pixel = cell * scale - offset.
struct AxisMapping {
  std::int64_t cells = 0;
  int pixels = 0;     ///< size of the viewport
  double scale = 1;   ///< pixels a cell
  double offset = 0;  ///< pixels of the map before the viewport's first

  double pixelOf(double cell) const { return cell * scale - offset; }
  double cellAt(double pixel) const { return (pixel + offset) / scale; }
  std::optional<std::int64_t> cellUnder(double pixel) const;  ///< nullopt beside the map or outside the viewport
  int end() const;                                            ///< first pixel after the map, at most `pixels`
  core::PositionRange visibleCells() const;

  /// Blocks of `block` cells that the pixel shows: the one at its centre where a block is a pixel or larger, else its
  /// part of a partition, so that neighbouring pixels share no block and leave none out.
  core::PositionRange blocksUnder(int pixel, std::int64_t block) const;

  void zoom(double newScale, double fixedPixel);
  void pan(double pixelsMoved);
  void clamp();  ///< no empty space but after the map's end, when it is smaller than the viewport
  void reveal(std::int64_t cell);
  friend bool operator==(const AxisMapping&, const AxisMapping&) = default;
};

/// Square: cells are as wide as high (queries over keys). Free: each direction fills the viewport on its own.
enum class CellShape { Square, Free };

/// Both directions of the map.
class HeatmapGeometry {
 public:
  const AxisMapping& columns() const { return m_columns; }
  const AxisMapping& rows() const { return m_rows; }

  void setExtent(const core::MapRect& extent, CellShape shape);  ///< fits
  void setViewport(int width, int height, double devicePixelRatio);

  void fit();
  void oneToOne();  ///< one device pixel a cell
  void zoomAt(double x, double y, double factor);
  void panBy(double dx, double dy);
  void boxZoom(double x0, double y0, double x1, double y1);  ///< the cells of the box fill the viewport
  void reveal(std::int64_t row, std::int64_t column);
  void show(const core::MapRect& cells);  ///< they fill the viewport, each direction on its own
  void centreOn(double row, double column);
  void showAs(const HeatmapGeometry& other);  ///< takes over scale and place; for a map of the same extent
  bool showsAs(const HeatmapGeometry& other) const;
  bool isFitted() const { return m_fitted; }  ///< the whole map is seen

  /// Level of detail: values are reduced over blocks of 2^level cells, at most one pixel large.
  int level() const;

 private:
  double fittedScale(const AxisMapping& axis) const;
  double largestScale() const;
  void clamp();

  AxisMapping m_columns;
  AxisMapping m_rows;
  CellShape m_shape = CellShape::Square;
  double m_devicePixelRatio = 1;
  bool m_fitted = true;
};

}  // namespace widgets
