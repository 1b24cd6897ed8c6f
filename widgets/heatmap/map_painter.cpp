#include "widgets/heatmap/map_painter.h"

#include <algorithm>
#include <cmath>

namespace widgets {

namespace {

/// What a pixel shows, before masked and waiting pixels get their patterns.
struct Pixel {
  enum class Kind : char { Value, Masked, Waiting };
  Kind kind = Kind::Waiting;
  Rgb color = 0;
};

/// Values of a pixel's blocks as one value.
class Reducer {
 public:
  explicit Reducer(core::Reduction reduction) : m_reduction(reduction) {}

  void add(float value) {
    if (std::isnan(value)) m_nan = true;
    m_value = m_reduction == core::Reduction::Mean ? m_value + value : m_count == 0 ? value : std::max(m_value, value);
    ++m_count;
  }
  bool empty() const { return m_count == 0; }
  float value() const {
    if (m_nan) return std::nanf("");
    return m_reduction == core::Reduction::Mean ? m_value / static_cast<float>(m_count) : m_value;
  }

 private:
  core::Reduction m_reduction;
  float m_value = 0;
  int m_count = 0;
  bool m_nan = false;
};

/// Paints one row of pixels after the other, keeping what consecutive rows share.
class Painter {
 public:
  Painter(const MapPicture& picture, const LineSource& lines) : m_picture(picture), m_lines(lines) {
    for (int x = 0; x < picture.columns.end(); ++x) m_blocks.push_back(picture.columns.blocksUnder(x, picture.block));
    m_pixels.resize(m_blocks.size());
  }

  const std::vector<Pixel>& row(int y) {
    const core::PositionRange rows = m_picture.rows.blocksUnder(y, m_picture.block);
    if (rows != m_rows && !m_blocks.empty()) computeRow(rows);
    m_rows = rows;
    return m_pixels;
  }

 private:
  void computeRow(const core::PositionRange& rows) {
    fetch(rows);
    const std::optional<core::ValueRange> range = joinedRange();
    const Colouring colouring(m_picture.colormap, m_picture.scale, range.value_or(core::ValueRange{}));
    for (std::size_t x = 0; x < m_pixels.size(); ++x) {
      m_pixels[x] = x > 0 && m_blocks[x] == m_blocks[x - 1] ? m_pixels[x - 1]
                                                            : pixel(rows, m_blocks[x], range ? &colouring : nullptr);
    }
  }

  void fetch(const core::PositionRange& rows) {
    const core::PositionRange columns{m_blocks.front().begin, m_blocks.back().end};
    m_fetched.resize(static_cast<std::size_t>(rows.size()));
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      MapLine& line = m_fetched[static_cast<std::size_t>(row - rows.begin)];
      line.values.assign(static_cast<std::size_t>(columns.size()), 0);
      line.known.assign(static_cast<std::size_t>(columns.size()), 0);
      line.range.reset();
      m_lines(row, columns, line);
    }
  }

  std::optional<core::ValueRange> joinedRange() const {
    std::optional<core::ValueRange> range = m_fetched.front().range;
    for (const MapLine& line : m_fetched) {
      if (!range || !line.range) return std::nullopt;
      range = {std::min(range->low, line.range->low), std::max(range->high, line.range->high)};
    }
    return range;
  }

  core::PositionRange cellsOf(std::int64_t block, std::int64_t cells) const {
    return {block * m_picture.block, std::min(cells, (block + 1) * m_picture.block)};
  }

  Pixel pixel(const core::PositionRange& rows, const core::PositionRange& columns, const Colouring* colouring) const {
    Reducer reducer(m_picture.reduction);
    bool visible = false;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const MapLine& line = m_fetched[static_cast<std::size_t>(row - rows.begin)];
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        if (m_picture.mask &&
            !m_picture.mask->anyVisible(cellsOf(row, m_picture.rows.cells), cellsOf(column, m_picture.columns.cells)))
          continue;
        visible = true;
        const std::size_t index = static_cast<std::size_t>(column - m_blocks.front().begin);
        if (line.known[index]) reducer.add(line.values[index]);
      }
    }
    if (!visible) return {Pixel::Kind::Masked, 0};
    if (reducer.empty() || !colouring) return {Pixel::Kind::Waiting, 0};
    return {Pixel::Kind::Value, colouring->color(reducer.value())};
  }

  const MapPicture& m_picture;
  const LineSource& m_lines;
  std::vector<core::PositionRange> m_blocks;  // of each pixel column
  std::vector<MapLine> m_fetched;
  std::vector<Pixel> m_pixels;
  core::PositionRange m_rows{-1, -1};
};

}  // namespace

void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines) {
  const auto left = static_cast<std::int64_t>(std::llround(picture.columns.offset));
  const auto top = static_cast<std::int64_t>(std::llround(picture.rows.offset));
  Painter painter(picture, lines);
  for (int y = 0; y < picture.rows.end(); ++y) {
    const std::vector<Pixel>& pixels = painter.row(y);
    auto* out = reinterpret_cast<Rgb*>(image.scanLine(y));
    for (std::size_t x = 0; x < pixels.size(); ++x) {
      const std::int64_t mapX = left + static_cast<std::int64_t>(x);
      const std::int64_t mapY = top + y;
      switch (pixels[x].kind) {
        case Pixel::Kind::Value: out[x] = pixels[x].color; break;
        case Pixel::Kind::Masked: out[x] = picture.hatch.at(mapX, mapY); break;
        case Pixel::Kind::Waiting:
          out[x] = mapX % 8 == 0 && mapY % 8 == 0 ? picture.hatch.line : picture.hatch.ground;
          break;
      }
    }
  }
}

}  // namespace widgets
