#include "widgets/heatmap/map_painter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace widgets {

namespace {

constexpr ColourTable::Code kNone = kNotKnown - 1;  // masked or hidden: of several, any other code counts
constexpr std::int64_t kPeriod = 24;                // of every pattern, in both directions

/// Rows of patterns, made when they are first needed: a row of pixels is copied and not computed.
class PatternRows {
 public:
  PatternRows(const Hatch& hatch, std::int64_t pixels) : m_hatch(hatch), m_pixels(pixels) {}

  /// So many pixels of the map's row y from its pixel x on.
  void fill(NoValue why, Rgb* out, std::int64_t x, std::int64_t y, std::size_t count) {
    std::vector<Rgb>& row = m_rows[static_cast<std::size_t>(why)][static_cast<std::size_t>(y % kPeriod)];
    if (row.empty()) {
      for (std::int64_t i = 0; i < m_pixels + kPeriod; ++i) row.push_back(patternAt(why, m_hatch, i, y));
    }
    std::memcpy(out, row.data() + x % kPeriod, count * sizeof(Rgb));
  }

 private:
  Hatch m_hatch;
  std::int64_t m_pixels;
  std::array<std::array<std::vector<Rgb>, kPeriod>, 4> m_rows;
};

/// Blocks of one or several rows taken together, column by column.
struct Combined {
  std::vector<float> values;
  std::vector<int> counts;  // values that went in; 0: none

  void reset(std::size_t size) {
    values.assign(size, 0);
    counts.assign(size, 0);
  }
};

bool isLarger(float a, float b, core::Reduction reduction) {
  return reduction == core::Reduction::MaxMagnitude ? std::abs(a) > std::abs(b) : a > b;
}

void add(float& to, int& count, float value, core::Reduction reduction) {
  if (reduction == core::Reduction::Mean) {
    to += value;
  } else if (count == 0 || isLarger(value, to, reduction) || std::isnan(value)) {  // nothing is larger than a NaN
    to = value;
  }
  ++count;
}

/// What a run of pixels of one row shows.
struct Run {
  int begin;
  int end;
  std::optional<NoValue> why;  ///< nullopt: colours
};

/// Paints one row of pixels after the other, keeping what consecutive rows share.
class Painter {
 public:
  Painter(const MapPicture& picture, const LineSource& lines, const core::PositionRange& pixels)
      : m_picture(picture),
        m_lines(lines),
        m_left(static_cast<std::int64_t>(std::llround(picture.columns.offset)) + pixels.begin),
        m_patterns(picture.hatch, pixels.size()) {
    for (std::int64_t x = pixels.begin; x < pixels.end; ++x)
      m_blocks.push_back(picture.columns.blocksUnder(static_cast<int>(x), picture.block));
    m_colours.resize(m_blocks.size());
    if (m_blocks.empty()) return;
    m_span = {m_blocks.front().begin, m_blocks.back().end};
    for (std::int64_t block = m_span.begin; block < m_span.end && !picture.hidden.empty(); ++block)
      m_isHidden.push_back(picture.hidden.coversAll(cellsOf(block, picture.columns.cells)));
    if (picture.codes && picture.colours && !picture.perRow && picture.reduction == core::Reduction::Max) {
      for (const core::PositionRange& blocks : m_blocks) {
        m_firstOf.push_back(static_cast<int>(blocks.begin - m_span.begin));
        m_lastOf.push_back(static_cast<int>(blocks.end - 1 - m_span.begin));
      }
      m_rowCodes.resize(static_cast<std::size_t>(m_span.size()));
      m_codes.resize(m_rowCodes.size());
    }
  }

  void paintRow(int y, std::int64_t mapY, Rgb* out) {
    if (m_blocks.empty()) return;
    const core::PositionRange rows = m_picture.rows.blocksUnder(y, m_picture.block);
    if (rows != m_rows) computeRow(rows);
    m_rows = rows;
    for (const Run& run : m_runs) {
      const auto count = static_cast<std::size_t>(run.end - run.begin);
      if (run.why) {
        m_patterns.fill(*run.why, out + run.begin, m_left + run.begin, mapY, count);
      } else {
        std::memcpy(out + run.begin, m_colours.data() + run.begin, count * sizeof(Rgb));
      }
    }
  }

 private:
  core::PositionRange cellsOf(std::int64_t block, std::int64_t cells) const {
    return {block * m_picture.block, std::min(cells, (block + 1) * m_picture.block)};
  }

  /// The blocks of a row of blocks of which a cell is visible; one contiguous range.
  core::PositionRange visibleBlocks(std::int64_t row) const {
    if (!m_picture.mask) return m_span;
    const core::PositionRange keys = m_picture.mask->visibleKeys(cellsOf(row, m_picture.rows.cells));
    if (keys.size() <= 0) return {m_span.begin, m_span.begin};
    const std::int64_t begin = std::clamp(keys.begin / m_picture.block, m_span.begin, m_span.end);
    return {begin, std::clamp((keys.end - 1) / m_picture.block + 1, begin, m_span.end)};
  }

  /// The way of most frames: the largest code of a pixel's blocks, without looking at values.
  void computeCodes(const core::PositionRange& rows) {
    m_visible = {m_span.end, m_span.begin};
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const core::PositionRange visible = visibleBlocks(row);
      std::vector<ColourTable::Code>& codes = row == rows.begin ? m_codes : m_rowCodes;
      const auto begin = static_cast<std::size_t>(visible.begin - m_span.begin);
      const auto end = static_cast<std::size_t>(visible.end - m_span.begin);
      if (visible.size() > 0) {
        m_picture.codes(row, visible, codes.data() + begin);
        m_visible = {std::min(m_visible.begin, visible.begin), std::max(m_visible.end, visible.end)};
      }
      if (row == rows.begin) {
        std::fill(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(begin), kNone);
        std::fill(codes.begin() + static_cast<std::ptrdiff_t>(end), codes.end(), kNone);
      } else {
        for (std::size_t i = begin; i < end; ++i) m_codes[i] = std::max(m_codes[i], codes[i]);
      }
    }
    m_rowIsMasked = m_picture.mask && m_visible.size() <= 0 && m_picture.mask->visibleKeys(joined(rows)).size() <= 0;
    for (std::size_t i = 0; i < m_isHidden.size(); ++i)
      if (m_isHidden[i]) m_codes[i] = kNone;
    colourCodes();
  }

  void colourCodes() {
    m_runs.clear();
    const auto addRun = [this](int from, int to, std::optional<NoValue> why) {
      if (from < to) m_runs.push_back({from, to, why});
    };
    // The pixels with a visible block lie together.
    const int first = m_visible.size() > 0 ? static_cast<int>(m_visible.begin - m_span.begin) : 0;
    const int after = m_visible.size() > 0 ? static_cast<int>(m_visible.end - m_span.begin) : 0;
    const auto placeIn = [](const std::vector<int>& sorted, int value) {
      return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin());
    };
    const int begin = placeIn(m_lastOf, first);
    const int end = std::max(begin, placeIn(m_firstOf, after));
    const NoValue outside = m_rowIsMasked ? NoValue::MaskedRow : NoValue::Masked;
    const ColourTable& colours = *m_picture.colours;
    addRun(0, begin, outside);
    for (int x = begin; x < end;) {
      const int from = x;
      ColourTable::Code code = kNone;
      for (; x < end && (code = codeOf(x)) >= 0; ++x) m_colours[static_cast<std::size_t>(x)] = colours.colorOf(code);
      addRun(from, x, std::nullopt);
      for (const auto& [wanted, why] :
           {std::pair(kNotKnown, NoValue::NotComputed), std::pair(kNone, NoValue::Hidden)}) {
        const int start = x;
        while (x < end && codeOf(x) == wanted) ++x;
        addRun(start, x, why);
      }
    }
    addRun(end, static_cast<int>(m_blocks.size()), outside);
  }

  ColourTable::Code codeOf(int x) const {
    const auto index = static_cast<std::size_t>(x);
    ColourTable::Code code = m_codes[static_cast<std::size_t>(m_firstOf[index])];
    for (int block = m_firstOf[index] + 1; block <= m_lastOf[index]; ++block)
      code = std::max(code, m_codes[static_cast<std::size_t>(block)]);
    return code;
  }

  void computeRow(const core::PositionRange& rows) {
    if (!m_codes.empty()) return computeCodes(rows);
    m_combined.reset(static_cast<std::size_t>(m_span.size()));
    m_visible = {m_span.end, m_span.begin};
    m_rowIsMasked = m_picture.mask && m_picture.mask->visibleKeys(joined(rows)).size() <= 0;
    std::optional<core::ValueRange> range;
    bool hasRange = true;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      m_line.values.assign(static_cast<std::size_t>(m_span.size()), 0);
      m_line.known.assign(static_cast<std::size_t>(m_span.size()), 0);
      m_line.range.reset();
      m_lines(row, m_span, m_line);
      combine(visibleBlocks(row));
      if (!m_line.range) {
        hasRange = false;
      } else {
        range =
            range ? core::ValueRange{std::min(range->low, m_line.range->low), std::max(range->high, m_line.range->high)}
                  : *m_line.range;
      }
    }
    if (m_picture.perRow) {
      const Colouring colouring(m_picture.colormap, Scale::PerRow, range.value_or(core::ValueRange{}));
      colourPixels(hasRange, [&](float value) { return colouring.color(value); });
    } else if (m_picture.colours) {
      colourPixels(true, [&](float value) { return m_picture.colours->color(value); });
    } else {
      colourPixels(false, [](float) { return Rgb{}; });
    }
  }

  core::PositionRange joined(const core::PositionRange& blocks) const {
    return {blocks.begin * m_picture.block, std::min(m_picture.rows.cells, blocks.end * m_picture.block)};
  }

  void combine(const core::PositionRange& visible) {
    if (visible.size() <= 0) return;
    m_visible = {std::min(m_visible.begin, visible.begin), std::max(m_visible.end, visible.end)};
    const auto begin = static_cast<std::size_t>(visible.begin - m_span.begin);
    const auto end = static_cast<std::size_t>(visible.end - m_span.begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (m_line.known[i] && (m_isHidden.empty() || !m_isHidden[i]))
        add(m_combined.values[i], m_combined.counts[i], m_line.values[i], m_picture.reduction);
    }
  }

  template <class ColorOf>
  void colourPixels(bool hasColours, ColorOf colorOf) {
    m_runs.clear();
    for (std::size_t x = 0; x < m_blocks.size(); ++x) {
      const core::PositionRange& blocks = m_blocks[x];
      const bool repeats = x > 0 && blocks == m_blocks[x - 1];
      std::optional<NoValue> why = repeats ? m_runs.back().why : std::nullopt;
      if (!repeats) {
        float value = 0;
        int count = 0;
        reduce(blocks, value, count);
        if (count == 0) {
          why = reasonFor(blocks);
        } else if (!hasColours) {
          why = NoValue::NotComputed;
        } else {
          m_colours[x] =
              colorOf(m_picture.reduction == core::Reduction::Mean ? value / static_cast<float>(count) : value);
        }
      } else if (!why) {
        m_colours[x] = m_colours[x - 1];
      }
      const int pixel = static_cast<int>(x);
      if (m_runs.empty() || m_runs.back().why != why) {
        m_runs.push_back({pixel, pixel + 1, why});
      } else {
        m_runs.back().end = pixel + 1;
      }
    }
  }

  void reduce(const core::PositionRange& blocks, float& value, int& count) const {
    const auto begin = static_cast<std::size_t>(blocks.begin - m_span.begin);
    const auto end = static_cast<std::size_t>(blocks.end - m_span.begin);
    value = m_combined.values[begin];
    count = m_combined.counts[begin];
    for (std::size_t i = begin + 1; i < end; ++i) {
      const int more = m_combined.counts[i];
      if (more == 0) continue;
      add(value, count, m_combined.values[i], m_picture.reduction);
      count += more - 1;  // a mean is over all of them
    }
  }

  NoValue reasonFor(const core::PositionRange& blocks) const {
    if (m_rowIsMasked) return NoValue::MaskedRow;
    const core::PositionRange visible{std::max(blocks.begin, m_visible.begin), std::min(blocks.end, m_visible.end)};
    if (visible.size() <= 0) return NoValue::Masked;
    for (std::int64_t block = visible.begin; block < visible.end; ++block) {
      if (m_isHidden.empty() || !m_isHidden[static_cast<std::size_t>(block - m_span.begin)])
        return NoValue::NotComputed;
    }
    return NoValue::Hidden;
  }

  const MapPicture& m_picture;
  const LineSource& m_lines;
  std::int64_t m_left;
  PatternRows m_patterns;
  std::vector<core::PositionRange> m_blocks;           // of each pixel column
  core::PositionRange m_span;                          // all of them
  std::vector<char> m_isHidden;                        // of each block of the span; empty: none
  std::vector<int> m_firstOf, m_lastOf;                // blocks of each pixel column, counted from the span's first
  std::vector<ColourTable::Code> m_codes, m_rowCodes;  // of the blocks of a row of pixels; of one row of blocks
  MapLine m_line;
  Combined m_combined;
  core::PositionRange m_visible;  // blocks of the row
  bool m_rowIsMasked = false;
  std::vector<Rgb> m_colours;  // of each pixel column that has a value
  std::vector<Run> m_runs;
  core::PositionRange m_rows{-1, -1};
};

}  // namespace

Rgb patternAt(NoValue why, const Hatch& hatch, std::int64_t x, std::int64_t y) {
  const auto pick = [&hatch](bool line) { return line ? hatch.line : hatch.ground; };
  switch (why) {
    case NoValue::Masked: return pick((x + y) % 6 == 0);
    case NoValue::MaskedRow: return pick(y % 4 == 0);
    case NoValue::Hidden: return pick(x % 4 == 0);
    case NoValue::NotComputed: return pick(x % 8 == 0 && y % 8 == 0);
  }
  return hatch.ground;
}

void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines, const core::PositionRange& pixelRows,
              const core::PositionRange& pixelColumns) {
  const core::PositionRange columns{pixelColumns.begin,
                                    std::min<std::int64_t>(pixelColumns.end, picture.columns.end())};
  if (columns.size() <= 0) return;
  const auto top = static_cast<std::int64_t>(std::llround(picture.rows.offset));
  Painter painter(picture, lines, columns);
  const auto end = static_cast<int>(std::min<std::int64_t>(pixelRows.end, picture.rows.end()));
  for (int y = static_cast<int>(pixelRows.begin); y < end; ++y)
    painter.paintRow(y, top + y, reinterpret_cast<Rgb*>(image.scanLine(y)) + columns.begin);
}

void paintMap(QImage& image, const MapPicture& picture, const LineSource& lines) {
  paintMap(image, picture, lines, {0, picture.rows.end()}, {0, picture.columns.end()});
}

}  // namespace widgets
