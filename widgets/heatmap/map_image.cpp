#include "widgets/heatmap/map_image.h"

#include <algorithm>
#include <string>

#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/tile_values.h"

namespace widgets {

namespace {

constexpr std::int64_t kLargestSide = 30000;  // pixels; image formats and viewers end at 32,767
constexpr std::int64_t kCellsAtOnce = 1024 * 1024;

AxisMapping axisOf(const core::PositionRange& cells, int pixelsPerCell) {
  AxisMapping axis;
  axis.cells = cells.end;
  axis.scale = pixelsPerCell;
  axis.offset = static_cast<double>(cells.begin * pixelsPerCell);
  axis.pixels = static_cast<int>(cells.size() * pixelsPerCell);
  return axis;
}

/// Rows of a rectangle of a stage from top to bottom, computed in bands.
class BandReader {
 public:
  BandReader(const core::MapSource& source, core::Stage stage, const core::MapRect& rect)
      : m_source(source), m_stage(stage), m_rect(rect) {
    m_bandRows = std::max<std::int64_t>(1, kCellsAtOnce / std::max<std::int64_t>(1, rect.columns.size()));
  }

  /// Of all columns of the rectangle.
  std::span<const float> row(std::int64_t row) {
    if (row < m_band.begin || row >= m_band.end) {
      m_band = {row, std::min(m_rect.rows.end, row + m_bandRows)};
      m_values = m_source.rectangle(m_stage, {m_band, m_rect.columns});
    }
    return {m_values.values.data() + (row - m_band.begin) * m_values.columns,
            static_cast<std::size_t>(m_values.columns)};
  }

 private:
  const core::MapSource& m_source;
  core::Stage m_stage;
  core::MapRect m_rect;
  std::int64_t m_bandRows = 1;
  core::PositionRange m_band;
  core::MapValues m_values;
};

}  // namespace

QImage renderMapImage(const core::MapSource& source, core::Stage stage, const ColourChoice& colours, int pixelsPerCell,
                      const core::Progress& progress, const std::optional<core::MapRect>& part) {
  const core::MapRect all = source.extent(stage);
  const core::MapRect shown = part.value_or(all);
  const std::int64_t longest = std::max(shown.rows.size(), shown.columns.size());
  if (longest * pixelsPerCell > kLargestSide)
    throw core::Error(core::ErrorKind::TooLarge, "A map of " + std::to_string(shown.rows.size()) + " x " +
                                                     std::to_string(shown.columns.size()) + " cells at " +
                                                     std::to_string(pixelsPerCell) +
                                                     " pixels a cell is over 30000 pixels wide or high; choose fewer "
                                                     "pixels a cell.");

  MapPicture picture;
  picture.rows = axisOf(shown.rows, pixelsPerCell);
  picture.columns = axisOf(shown.columns, pixelsPerCell);
  picture.colormap = colours.colormap;
  picture.perRow = colours.scale == Scale::PerRow;
  if (!picture.perRow) {
    const core::ValueRange range =
        colours.range ? *colours.range : colorRange(stage, source.range(stage, progress.part(0, 0.3)));
    core::ValueRanks ranks;
    if (colours.scale == Scale::Percentile) ranks = core::ValueRanks::of(source, stage, progress.part(0.3, 0.5));
    picture.colours = std::make_shared<const ColourTable>(Colouring(colours.colormap, colours.scale, range, &ranks));
  }
  if (core::isMasked(stage)) picture.mask = source.mask();
  if (core::hasKeys(stage)) picture.hidden = source.hidden();

  QImage image(picture.columns.pixels, picture.rows.pixels, QImage::Format_RGB32);
  if (image.isNull())
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for an image of " +
                                                        std::to_string(picture.columns.pixels) + " x " +
                                                        std::to_string(picture.rows.pixels) + " pixels.");

  const core::MapMask mask = source.mask();
  // A row's own range is that of the whole row.
  const core::PositionRange columnsRead = picture.perRow ? all.columns : shown.columns;
  BandReader bands(source, stage, {shown.rows, columnsRead});
  paintMap(image, picture, [&](std::int64_t row, const core::PositionRange& columns, MapLine& line) {
    const auto done = static_cast<double>(row - shown.rows.begin) / static_cast<double>(shown.rows.size());
    progress.report(0.5 + 0.5 * done, "map");
    const std::span<const float> values = bands.row(row);
    std::copy_n(values.begin() + (columns.begin - columnsRead.begin), columns.size(), line.values.begin());
    std::fill(line.known.begin(), line.known.end(), char{1});
    if (picture.perRow) line.range = colorRange(stage, rowRange(stage, mask, picture.hidden, row, values, 0));
  });
  return image;
}

}  // namespace widgets
