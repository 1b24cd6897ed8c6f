#include "widgets/heatmap/figure_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/map_source.h"
#include "widgets/heatmap/tile_values.h"

namespace widgets {

namespace {

std::int64_t blocksIn(std::int64_t cells, std::int64_t block) { return (cells + block - 1) / block; }

bool replaces(double value, double old, core::Reduction reduction) {
  if (std::isnan(old)) return false;
  if (std::isnan(value)) return true;
  return reduction == core::Reduction::MaxMagnitude ? std::abs(value) > std::abs(old) : value > old;
}

/// As MapSource::overview(), for blocks that are not as wide as high: a long map of few rows or columns.
core::MapValues oblongBlocks(const core::MapSource& source, const FigurePart& part, const core::Progress& progress) {
  const std::int64_t rows = blocksIn(part.cells.rows.size(), part.block.rows);
  const std::int64_t columns = blocksIn(part.cells.columns.size(), part.block.columns);
  std::vector<double> reduced(static_cast<std::size_t>(rows * columns), 0);
  std::vector<std::int64_t> counts(reduced.size(), 0);
  const core::MapMask mask = source.mask();
  const core::KeySet hidden = core::hasKeys(part.stage) ? source.hidden() : core::KeySet();
  core::inBands(
      source, part.stage, part.cells, progress, [&](const core::PositionRange& band, const core::MapValues& values) {
        for (core::Position row = band.begin; row < band.end; ++row) {
          const auto line = static_cast<std::size_t>((row - part.cells.rows.begin) / part.block.rows * columns);
          const core::PositionRange counted = core::countedColumns(mask, part.stage, row, part.cells.columns);
          for (core::Position column = counted.begin; column < counted.end; ++column) {
            if (!hidden.empty() && hidden.contains(column)) continue;
            const core::Position x = column - part.cells.columns.begin;
            const auto value = static_cast<double>(values.at(row - band.begin, x));
            const auto block = line + static_cast<std::size_t>(x / part.block.columns);
            if (part.reduction == core::Reduction::Mean) {
              reduced[block] += value;
            } else if (counts[block] == 0 || replaces(value, reduced[block], part.reduction)) {
              reduced[block] = value;
            }
            ++counts[block];
          }
        }
      });
  core::MapValues result{rows, columns, {}};
  result.values.reserve(reduced.size());
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    const bool isMean = part.reduction == core::Reduction::Mean && counts[i] > 0;
    const double value = isMean ? reduced[i] / static_cast<double>(counts[i]) : reduced[i];
    const bool isNone = counts[i] == 0 && part.stage != core::Stage::Weights;
    result.values.push_back(isNone ? -std::numeric_limits<float>::infinity() : static_cast<float>(value));
  }
  return result;
}

core::MapValues blockValues(const core::MapSource& source, const FigurePart& part, const core::Progress& progress) {
  if (part.block.isCell()) {
    core::MapValues all{part.cells.rows.size(), part.cells.columns.size(), {}};
    all.values.reserve(static_cast<std::size_t>(part.cells.cells()));
    core::inBands(source, part.stage, part.cells, progress,
                  [&](const core::PositionRange&, const core::MapValues& band) {
                    all.values.insert(all.values.end(), band.values.begin(), band.values.end());
                  });
    return all;
  }
  if (part.block.rows == part.block.columns)
    return source.overview(part.stage, part.cells, part.block.rows, part.reduction, progress);
  return oblongBlocks(source, part, progress);
}

/// Of each row of blocks: from the smallest to the largest of its rows' own ranges, which are those of whole rows.
std::vector<core::ValueRange> rowRanges(const core::MapSource& source, const FigurePart& part,
                                        const core::Progress& progress) {
  const core::MapMask mask = source.mask();
  const core::KeySet hidden = source.hidden();
  std::vector<core::ValueRange> ranges;
  const core::MapRect rows{part.cells.rows, source.extent(part.stage).columns};
  core::inBands(
      source, part.stage, rows, progress, [&](const core::PositionRange& band, const core::MapValues& values) {
        for (core::Position row = band.begin; row < band.end; ++row) {
          const float* first = values.values.data() + (row - band.begin) * values.columns;
          const core::ValueRange own =
              colorRange(part.stage,
                         rowRange(part.stage, mask, hidden, row, {first, static_cast<std::size_t>(values.columns)}, 0));
          if ((row - part.cells.rows.begin) % part.block.rows == 0) {
            ranges.push_back(own);
          } else {
            ranges.back() = {std::min(ranges.back().low, own.low), std::max(ranges.back().high, own.high)};
          }
        }
      });
  return ranges;
}

/// Mask and hidden keys with blocks in place of cells.
class Blocks {
 public:
  Blocks(const core::MapSource& source, const FigurePart& part) : m_isMasked(core::isMasked(part.stage)) {
    const core::MapMask mask = source.mask();
    const core::PositionRange all = part.cells.columns;
    for (core::Position row = part.cells.rows.begin; row < part.cells.rows.end; row += part.block.rows) {
      const core::PositionRange rows{row, std::min(row + part.block.rows, part.cells.rows.end)};
      const core::PositionRange keys = m_isMasked ? mask.visibleKeys(rows) : all;
      const core::Position begin = std::max(keys.begin, all.begin) - all.begin;
      const core::Position end = std::min(keys.end, all.end) - all.begin;
      m_isRowMasked.push_back(keys.size() <= 0);
      m_visible.push_back(begin < end
                              ? core::PositionRange{begin / part.block.columns, blocksIn(end, part.block.columns)}
                              : core::PositionRange{});
    }
    if (!core::hasKeys(part.stage) || source.hidden().empty()) return;
    for (std::int64_t x = 0; x < blocksIn(all.size(), part.block.columns); ++x) {
      const core::Position begin = all.begin + x * part.block.columns;
      if (source.hidden().coversAll({begin, std::min(all.end, begin + part.block.columns)})) m_hidden.push_back(x);
    }
  }

  const std::vector<core::Position>& hidden() const { return m_hidden; }
  std::optional<core::MapMask> mask() const {
    return m_isMasked ? std::optional(core::MapMask(m_visible)) : std::nullopt;
  }
  /// Of a row of blocks. One that sees nothing of the columns shown may still see others.
  const core::PositionRange& visible(int y) const { return m_visible[static_cast<std::size_t>(y)]; }
  bool isRowMasked(int y) const { return m_isRowMasked[static_cast<std::size_t>(y)]; }

 private:
  bool m_isMasked;
  std::vector<core::PositionRange> m_visible;
  std::vector<bool> m_isRowMasked;
  std::vector<core::Position> m_hidden;
};

/// Adds `next` to the last of the rectangles where it goes on below it, or beside it.
void join(std::vector<QRect>& rects, const QRect& next) {
  if (rects.empty()) return rects.push_back(next);
  QRect& last = rects.back();
  const bool below = last.left() == next.left() && last.width() == next.width() && last.bottom() + 1 == next.top();
  const bool beside = last.top() == next.top() && last.height() == next.height() && last.right() + 1 == next.left();
  if (below || beside) {
    last = last.united(next);
  } else {
    rects.push_back(next);
  }
}

/// What is drawn where the image is transparent.
void findPatterns(FigureCells& cells, const Blocks& blocks) {
  for (int y = 0; y < cells.image.height(); ++y) {
    if (blocks.isRowMasked(y)) {
      join(cells.maskedRows, {0, y, cells.image.width(), 1});
    } else if (blocks.visible(y).size() < cells.image.width()) {
      cells.anyMasked = true;
    }
  }
  for (const core::Position key : blocks.hidden()) {
    const int x = static_cast<int>(key);
    std::vector<QRect> runs;
    for (int y = 0; y < cells.image.height(); ++y) {
      const core::PositionRange visible = blocks.visible(y);
      if (visible.begin <= key && key < visible.end) join(runs, {x, y, 1, 1});
    }
    for (const QRect& run : runs) join(cells.hidden, run);
  }
}

void findSpecials(FigureCells& cells, const SpecialColours& specials) {
  for (int y = 0; y < cells.image.height(); ++y) {
    const auto* line = reinterpret_cast<const Rgb*>(cells.image.constScanLine(y));
    for (int x = 0; x < cells.image.width(); ++x) {
      cells.anyNan |= line[x] == specials.notANumber;
      cells.anyBelow |= line[x] == specials.below;
      cells.anyAbove |= line[x] == specials.above;
    }
  }
}

AxisMapping onePixelEach(std::int64_t blocks) {
  AxisMapping axis;
  axis.cells = blocks;
  axis.pixels = static_cast<int>(blocks);
  return axis;
}

}  // namespace

FigureCells figureCells(const core::MapSource& source, const FigurePart& part, const core::Progress& progress) {
  const bool perRow = !part.colours;
  const Blocks blocks(source, part);
  FigureCells cells;
  cells.values = blockValues(source, part, progress.part(0, perRow ? 0.5 : 0.9));
  const std::vector<core::ValueRange> ranges =
      perRow ? rowRanges(source, part, progress.part(0.5, 0.9)) : std::vector<core::ValueRange>();

  MapPicture picture;
  picture.rows = onePixelEach(cells.values.rows);
  picture.columns = onePixelEach(cells.values.columns);
  picture.reduction = part.reduction;
  picture.mask = blocks.mask();
  picture.hidden = core::KeySet(blocks.hidden());
  picture.colormap = part.colormap;
  picture.colours = part.colours;
  picture.perRow = perRow;
  picture.hatch = {0, 0};  // transparent: patterns are lines below the image

  QImage image(picture.columns.pixels, picture.rows.pixels, QImage::Format_RGB32);
  if (image.isNull())
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for an image of " +
                                                        std::to_string(picture.columns.pixels) + " x " +
                                                        std::to_string(picture.rows.pixels) + " pixels.");
  paintMap(image, picture, [&](std::int64_t y, const core::PositionRange& columns, MapLine& line) {
    if (y % 64 == 0)
      progress.report(0.9 + 0.1 * static_cast<double>(y) / static_cast<double>(cells.values.rows), "map");
    const float* values = cells.values.values.data() + y * cells.values.columns;
    std::copy(values + columns.begin, values + columns.end, line.values.begin());
    std::fill(line.known.begin(), line.known.end(), char{1});
    if (perRow) line.range = ranges[static_cast<std::size_t>(y)];
  });
  // All colours of values are opaque, so that their bytes are those of an image with transparent places.
  image.reinterpretAsFormat(QImage::Format_ARGB32_Premultiplied);
  cells.image = std::move(image);
  findPatterns(cells, blocks);
  findSpecials(cells, specialColours(part.colormap));
  return cells;
}

}  // namespace widgets
