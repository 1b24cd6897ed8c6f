#include "widgets/heatmap/heatmap_geometry.h"

#include <algorithm>
#include <cmath>

namespace widgets {

namespace {

constexpr double kLargestCell = 96;       // logical pixels; a map of one token is no wall of colour
constexpr double kWholePixelsFrom = 3.0;  // fitted cells of this size and more are whole pixels, so all are alike

std::int64_t floorIndex(double value) { return static_cast<std::int64_t>(std::floor(value)); }

/// The scale that shows all of the axis.
double fittingScale(const AxisMapping& axis) {
  return axis.cells > 0 ? std::max(1, axis.pixels) / static_cast<double>(axis.cells) : 1;
}

}  // namespace

std::optional<std::int64_t> AxisMapping::cellUnder(double pixel) const {
  if (pixel < 0 || pixel >= pixels) return std::nullopt;
  const std::int64_t cell = floorIndex(cellAt(pixel));
  if (cell < 0 || cell >= cells) return std::nullopt;
  return cell;
}

int AxisMapping::end() const {
  const double last = std::round(pixelOf(static_cast<double>(cells)));
  return static_cast<int>(std::clamp(last, 0.0, static_cast<double>(pixels)));
}

core::PositionRange AxisMapping::visibleCells() const {
  const int pixelEnd = end();
  if (pixelEnd <= 0) return {0, 0};
  return {std::max<std::int64_t>(0, floorIndex(cellAt(0))),
          std::min(cells, static_cast<std::int64_t>(std::ceil(cellAt(pixelEnd))))};
}

core::PositionRange AxisMapping::blocksUnder(int pixel, std::int64_t block) const {
  const double size = scale * static_cast<double>(block);
  const std::int64_t blocks = (cells + block - 1) / block;
  if (size >= 1) {
    const std::int64_t one = std::clamp<std::int64_t>(floorIndex((pixel + 0.5 + offset) / size), 0, blocks - 1);
    return {one, one + 1};
  }
  const std::int64_t first = std::clamp<std::int64_t>(floorIndex((pixel + offset) / size), 0, blocks - 1);
  const bool last = pixel + 1 == static_cast<int>(std::round(pixelOf(static_cast<double>(cells))));
  const std::int64_t after = last ? blocks : floorIndex((pixel + 1 + offset) / size);
  return {first, std::clamp(after, first + 1, blocks)};
}

void AxisMapping::zoom(double newScale, double fixedPixel) {
  const double cell = cellAt(fixedPixel);
  scale = newScale;
  offset = cell * scale - fixedPixel;
}

void AxisMapping::pan(double pixelsMoved) {
  // Zooming at the cursor may have left empty space after the end; panning does not make it more.
  const double farthest = std::max({0.0, static_cast<double>(cells) * scale - pixels, offset});
  offset = std::clamp(offset - pixelsMoved, 0.0, farthest);
}

void AxisMapping::clamp() {
  offset = std::clamp(offset, 0.0, std::max(0.0, static_cast<double>(cells) * scale - pixels));
}

void AxisMapping::reveal(std::int64_t cell) {
  const double begin = static_cast<double>(cell) * scale;
  if (begin + scale > offset + pixels) offset = begin + scale - pixels;
  if (begin < offset) offset = begin;
  clamp();
}

void HeatmapGeometry::setExtent(const core::MapRect& extent, CellShape shape) {
  m_rows.cells = extent.rows.size();
  m_columns.cells = extent.columns.size();
  m_shape = shape;
  fit();
}

void HeatmapGeometry::setViewport(int width, int height, double devicePixelRatio) {
  const double ratioChange = devicePixelRatio / m_devicePixelRatio;
  m_columns.pixels = width;
  m_rows.pixels = height;
  m_devicePixelRatio = devicePixelRatio;
  if (m_fitted) return fit();
  m_rows.zoom(m_rows.scale * ratioChange, 0);
  m_columns.zoom(m_columns.scale * ratioChange, 0);
  clamp();
}

double HeatmapGeometry::largestScale() const { return kLargestCell * m_devicePixelRatio; }

double HeatmapGeometry::fittedScale(const AxisMapping& axis) const {
  double fitting = fittingScale(axis);
  if (m_shape == CellShape::Square) fitting = std::min(fittingScale(m_rows), fittingScale(m_columns));
  if (fitting >= kWholePixelsFrom) fitting = std::floor(fitting);
  return std::min(fitting, largestScale());
}

void HeatmapGeometry::clamp() {
  m_rows.clamp();
  m_columns.clamp();
}

void HeatmapGeometry::fit() {
  m_rows.offset = 0;
  m_columns.offset = 0;
  m_rows.scale = fittedScale(m_rows);
  m_columns.scale = fittedScale(m_columns);
  m_fitted = true;
}

void HeatmapGeometry::oneToOne() {
  m_rows.zoom(1, m_rows.end() / 2.0);
  m_columns.zoom(1, m_columns.end() / 2.0);
  clamp();
  m_fitted = false;
}

void HeatmapGeometry::zoomAt(double x, double y, double factor) {
  // Zooming out ends where the whole map is seen; a map that is smaller already (1:1) gets no smaller.
  const auto zoomed = [&](AxisMapping& axis, double pixel) {
    axis.zoom(std::clamp(axis.scale * factor, std::min(axis.scale, fittedScale(axis)), largestScale()), pixel);
  };
  zoomed(m_rows, y);
  zoomed(m_columns, x);
  // Closer, the cell under the cursor stays there at any price; farther, the map comes back to its place.
  if (factor < 1) clamp();
  if (factor < 1 && m_rows.scale == fittedScale(m_rows) && m_columns.scale == fittedScale(m_columns)) return fit();
  m_fitted = false;
}

void HeatmapGeometry::panBy(double dx, double dy) {
  m_rows.pan(dy);
  m_columns.pan(dx);
}

void HeatmapGeometry::boxZoom(double x0, double y0, double x1, double y1) {
  const double left = m_columns.cellAt(std::min(x0, x1));
  const double top = m_rows.cellAt(std::min(y0, y1));
  double columnScale = m_columns.scale * m_columns.pixels / std::max(1.0, std::abs(x1 - x0));
  double rowScale = m_rows.scale * m_rows.pixels / std::max(1.0, std::abs(y1 - y0));
  if (m_shape == CellShape::Square) columnScale = rowScale = std::min(columnScale, rowScale);
  m_columns.scale = std::min(columnScale, largestScale());
  m_rows.scale = std::min(rowScale, largestScale());
  m_columns.offset = left * m_columns.scale;
  m_rows.offset = top * m_rows.scale;
  clamp();
  m_fitted = false;
}

void HeatmapGeometry::reveal(std::int64_t row, std::int64_t column) {
  m_rows.reveal(row);
  m_columns.reveal(column);
}

void HeatmapGeometry::show(const core::MapRect& cells) {
  const auto into = [this](AxisMapping& axis, const core::PositionRange& range) {
    axis.scale = std::min(std::max(1, axis.pixels) / static_cast<double>(std::max<std::int64_t>(1, range.size())),
                          largestScale());
    axis.offset = static_cast<double>(range.begin) * axis.scale;
  };
  into(m_rows, cells.rows);
  into(m_columns, cells.columns);
  clamp();
  m_fitted = false;
}

void HeatmapGeometry::centreOn(double row, double column) {
  m_rows.offset = row * m_rows.scale - m_rows.pixels / 2.0;
  m_columns.offset = column * m_columns.scale - m_columns.pixels / 2.0;
  clamp();
}

void HeatmapGeometry::showAs(const HeatmapGeometry& other) {
  if (m_rows.cells != other.m_rows.cells || m_columns.cells != other.m_columns.cells) return;
  if (other.m_fitted) return fit();
  m_rows.scale = other.m_rows.scale;
  m_columns.scale = other.m_columns.scale;
  m_rows.offset = other.m_rows.offset;
  m_columns.offset = other.m_columns.offset;
  m_fitted = false;
}

bool HeatmapGeometry::showsAs(const HeatmapGeometry& other) const {
  if (m_fitted && other.m_fitted) return true;
  const auto same = [](const AxisMapping& a, const AxisMapping& b) {
    return a.scale == b.scale && a.offset == b.offset;
  };
  return m_fitted == other.m_fitted && same(m_rows, other.m_rows) && same(m_columns, other.m_columns);
}

int HeatmapGeometry::level() const {
  const double scale = std::max(m_rows.scale, m_columns.scale);
  return scale >= 1 ? 0 : static_cast<int>(std::floor(std::log2(1 / scale)));
}

}  // namespace widgets
