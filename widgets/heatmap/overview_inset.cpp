#include "widgets/heatmap/overview_inset.h"

#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/tile_order.h"

namespace widgets {

namespace {

constexpr int kSide = 128;  // logical pixels
constexpr int kMargin = 8;

AxisMapping whole(std::int64_t cells, int pixels) {
  AxisMapping axis;
  axis.cells = cells;
  axis.pixels = pixels;
  axis.scale = pixels / static_cast<double>(std::max<std::int64_t>(1, cells));
  return axis;
}

bool isWhole(const AxisMapping& axis) {
  const core::PositionRange cells = axis.visibleCells();
  return cells.begin <= 0 && cells.end >= axis.cells && axis.offset <= 0.5;
}

}  // namespace

void OverviewInset::updateImage(const MapPicture& shown, const Tile& tile, const QSize& pixels) {
  const bool isCurrent = m_image.size() == pixels && m_imageOf == tile && m_colours == shown.colours &&
                         m_ground == shown.hatch.ground && !shown.perRow;
  if (isCurrent) return;
  m_imageOf = tile;
  m_colours = shown.colours;
  m_ground = shown.hatch.ground;
  m_image = QImage(pixels, QImage::Format_RGB32);
  MapPicture picture = shown;
  picture.rows = whole(shown.rows.cells, pixels.height());
  picture.columns = whole(shown.columns.cells, pixels.width());
  const core::MapRect extent{{0, shown.rows.cells}, {0, shown.columns.cells}};
  picture.block = std::int64_t{1} << coarsestLevel(extent);
  paintMap(m_image, picture, [&tile](std::int64_t row, const core::PositionRange& blocks, MapLine& line) {
    if (!tile) return;
    float low = 0, high = 0;
    for (std::int64_t column = 0; column < tile->columns; ++column) {
      const float value = tile->at(row, column);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    line.range = core::ValueRange{low, high};
    for (std::int64_t column = blocks.begin; column < blocks.end; ++column)
      line.values[static_cast<std::size_t>(column - blocks.begin)] = tile->at(row, column);
    std::fill(line.known.begin(), line.known.end(), char{1});
  });
}

void OverviewInset::paint(QPainter& painter, const QRect& view, const MapPicture& shown, const Tile& tile,
                          double devicePixelRatio) {
  m_place = {};
  m_rows = static_cast<double>(shown.rows.cells);
  m_columns = static_cast<double>(shown.columns.cells);
  const bool hasRoom = view.width() >= 3 * kSide && view.height() >= 2 * kSide;
  if (!hasRoom || m_rows == 0 || m_columns == 0 || (isWhole(shown.rows) && isWhole(shown.columns))) return;
  m_place = QRect(view.right() - kMargin - kSide, view.top() + kMargin, kSide, kSide);
  updateImage(shown, tile, (QSizeF(m_place.size()) * devicePixelRatio).toSize());
  painter.drawImage(m_place, m_image);

  painter.save();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(128, 128, 128), 1));
  painter.drawRect(QRectF(m_place).adjusted(-0.5, -0.5, 0.5, 0.5));
  const auto share = [](const AxisMapping& axis, double pixel) {
    return std::clamp(axis.cellAt(pixel) / static_cast<double>(axis.cells), 0.0, 1.0);
  };
  const QPointF begin(m_place.left() + share(shown.columns, 0) * kSide, m_place.top() + share(shown.rows, 0) * kSide);
  const QPointF end(m_place.left() + share(shown.columns, shown.columns.pixels) * kSide,
                    m_place.top() + share(shown.rows, shown.rows.pixels) * kSide);
  // A small part of a long map is still a mark that can be seen.
  QRectF frame(begin, end);
  frame = frame.united(QRectF(frame.center() - QPointF(2, 2), QSizeF(4, 4)));
  painter.setClipRect(m_place.adjusted(-1, -1, 1, 1));
  painter.setPen(QPen(QColor(255, 255, 255, 200), 3));
  painter.drawRect(frame);
  painter.setPen(QPen(kShownAccent, 1.5));
  painter.drawRect(frame);
  painter.restore();
}

std::pair<double, double> OverviewInset::cellAt(const QPointF& position) const {
  const auto share = [](double at, int begin, int size) { return std::clamp((at - begin) / size, 0.0, 1.0); };
  return {share(position.y(), m_place.top(), m_place.height()) * m_rows,
          share(position.x(), m_place.left(), m_place.width()) * m_columns};
}

}  // namespace widgets
