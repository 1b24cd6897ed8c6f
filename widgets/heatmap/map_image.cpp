#include "widgets/heatmap/map_image.h"

#include <algorithm>
#include <string>

#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/tile_values.h"

namespace widgets {

namespace {

constexpr std::int64_t kLargestSide = 30000;  // pixels; image formats and viewers end at 32,767
constexpr std::int64_t kCellsAtOnce = 1024 * 1024;

AxisMapping wholeAxis(std::int64_t cells, int pixelsPerCell) {
  AxisMapping axis;
  axis.cells = cells;
  axis.scale = pixelsPerCell;
  axis.pixels = static_cast<int>(cells * pixelsPerCell);
  return axis;
}

/// Rows of a stage from top to bottom, computed in bands.
class BandReader {
 public:
  BandReader(const MapSource& source, core::Stage stage) : m_source(source), m_stage(stage) {
    m_extent = source.extent(stage);
    m_bandRows = std::max<std::int64_t>(1, kCellsAtOnce / std::max<std::int64_t>(1, m_extent.columns.size()));
  }

  std::span<const float> row(std::int64_t row) {
    if (row < m_band.begin || row >= m_band.end) {
      m_band = {row, std::min(m_extent.rows.end, row + m_bandRows)};
      m_values = m_source.rectangle(m_stage, {m_band, m_extent.columns});
    }
    return {m_values.values.data() + (row - m_band.begin) * m_values.columns,
            static_cast<std::size_t>(m_values.columns)};
  }

 private:
  const MapSource& m_source;
  core::Stage m_stage;
  core::MapRect m_extent;
  std::int64_t m_bandRows = 1;
  core::PositionRange m_band;
  core::MapValues m_values;
};

}  // namespace

QImage renderMapImage(const MapSource& source, core::Stage stage, Scale scale, ColormapName colormap,
                      int pixelsPerCell) {
  const core::MapRect extent = source.extent(stage);
  const std::int64_t longest = std::max(extent.rows.size(), extent.columns.size());
  if (longest * pixelsPerCell > kLargestSide)
    throw core::Error(core::ErrorKind::TooLarge, "A map of " + std::to_string(extent.rows.size()) + " x " +
                                                     std::to_string(extent.columns.size()) + " cells at " +
                                                     std::to_string(pixelsPerCell) +
                                                     " pixels a cell is over 30000 pixels wide or high; choose fewer "
                                                     "pixels a cell.");

  MapPicture picture;
  picture.rows = wholeAxis(extent.rows.size(), pixelsPerCell);
  picture.columns = wholeAxis(extent.columns.size(), pixelsPerCell);
  picture.colormap = colormap;
  picture.scale = scale;
  if (isMasked(stage)) picture.mask = source.mask();

  QImage image(picture.columns.pixels, picture.rows.pixels, QImage::Format_RGB32);
  if (image.isNull())
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for an image of " +
                                                        std::to_string(picture.columns.pixels) + " x " +
                                                        std::to_string(picture.rows.pixels) + " pixels.");

  const core::ValueRange whole = scale == Scale::PerRow ? core::ValueRange{} : source.range(stage, {});
  const core::AttentionMask mask = source.mask();
  BandReader bands(source, stage);
  paintMap(image, picture, [&](std::int64_t row, const core::PositionRange& columns, MapLine& line) {
    const std::span<const float> values = bands.row(row);
    std::copy_n(values.begin() + columns.begin, columns.size(), line.values.begin());
    std::fill(line.known.begin(), line.known.end(), char{1});
    line.range = colorRange(stage, scale == Scale::PerRow ? rowRange(stage, mask, row, values) : whole);
  });
  return image;
}

QImage renderMapImage(const core::AttentionMap& map, core::Stage stage, Scale scale, ColormapName colormap,
                      int pixelsPerCell) {
  return renderMapImage(*makeMapSource(map), stage, scale, colormap, pixelsPerCell);
}

}  // namespace widgets
