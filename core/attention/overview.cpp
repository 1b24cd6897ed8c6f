#include "core/attention/overview.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "core/attention/attention_tiles.h"
#include "core/attention/head_tensors.h"
#include "core/attention/tile_work.h"

namespace core::attention {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

at::Tensor folded(const at::Tensor& values, std::int64_t dimension, bool keep, Reduction reduction) {
  return reduction == Reduction::Max ? values.amax(dimension, keep) : values.sum(dimension, keep);
}

/// Each `block` values along a dimension to one, the last of them maybe fewer.
at::Tensor foldedBlocks(const at::Tensor& values, std::int64_t dimension, std::int64_t block, Reduction reduction) {
  const std::int64_t size = values.size(dimension);
  const std::int64_t whole = size / block * block;
  if (whole == 0) return folded(values, dimension, true, reduction);
  const at::Tensor blocks = values.narrow(dimension, 0, whole).unflatten(dimension, {whole / block, block});
  const at::Tensor most = folded(blocks, dimension + 1, false, reduction);
  if (whole == size) return most;
  const at::Tensor last = values.narrow(dimension, whole, size - whole);
  return at::cat({most, folded(last, dimension, true, reduction)}, dimension);
}

void merge(double& to, double value, Reduction reduction) {
  if (reduction == Reduction::Mean) {
    to += value;
  } else if (value > to || std::isnan(value)) {  // nothing is larger than a NaN that is there already
    to = value;
  }
}

/// Cells of a block that count.
std::int64_t countedIn(const AttentionMask& mask, bool masked, const KeySet& hidden, const MapRect& block) {
  if (!masked || mask.allVisible(block.rows, block.columns))
    return block.cells() - block.rows.size() * hidden.countIn(block.columns);
  if (!mask.anyVisible(block.rows, block.columns)) return 0;
  std::int64_t count = 0;
  for (Position i = block.rows.begin; i < block.rows.end; ++i) {
    const PositionRange keys = mask.visibleKeys(i);
    const PositionRange both{std::max(keys.begin, block.columns.begin), std::min(keys.end, block.columns.end)};
    count += std::max<std::int64_t>(both.size(), 0) - hidden.countIn(both);
  }
  return count;
}

/// An overview of a stage whose columns are keys, made of tiles of scores turned round: (columns, rows).
class KeyOverview {
 public:
  KeyOverview(HeadTensors head, Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
              const KeySet& hidden)
      : m_head(std::move(head)),
        m_stage(stage),
        m_rect(rect),
        m_block(block),
        m_reduction(reduction),
        m_hidden(hidden) {
    const std::int64_t rows = (rect.rows.size() + block - 1) / block;
    const std::int64_t columns = (rect.columns.size() + block - 1) / block;
    // In double: the sums of tiles are added in the order in which threads finish.
    m_result = at::full({rows, columns}, reduction == Reduction::Max ? -kInfinity : 0.0F, at::kDouble);
  }

  at::Tensor compute(const Progress& progress) {
    std::vector<MapRect> tiles =
        tilesOf(pieces(m_rect.rows, m_block, kTileRows), pieces(m_rect.columns, m_block, kTileColumns));
    if (masked())
      std::erase_if(tiles, [&](const MapRect& tile) { return !m_head.mask.anyVisible(tile.rows, tile.columns); });
    forEachTile(tiles, progress, [&](const MapRect& tile, const at::Tensor& workspace) {
      add(tile, workspace.narrow(0, 0, tile.cells()).view({tile.columns.size(), tile.rows.size()}));
    });
    if (m_reduction == Reduction::Mean) divide();
    const at::Tensor result = m_result.to(at::kFloat);
    return m_reduction == Reduction::Max && m_stage == Stage::Weights ? result.exp() : result;
  }

 private:
  bool masked() const { return m_stage != Stage::Scores; }

  void add(const MapRect& tile, at::Tensor cells) {
    turnedProductsInto(cells, m_head, tile);
    const at::Tensor lse = part(m_head.lse, tile.rows);  // (rows)
    const bool border = masked() && !m_head.mask.allVisible(tile.rows, tile.columns);
    const bool gaps = border || m_hidden.countIn(tile.columns) > 0;
    const bool weights = m_stage == Stage::Weights;
    at::Tensor perQuery;  // (blocks of columns, rows)
    if (m_reduction == Reduction::Mean) {
      cells.mul_(m_head.scale);
      if (weights) cells.sub_(lse).exp_();
      if (border) fillHiddenTurned(cells, m_head.mask, tile, 0);
      fillKeysTurned(cells, m_hidden, tile, 0);
      perQuery = foldedBlocks(cells, 0, m_block, m_reduction);
    } else {
      if (border) fillHiddenTurned(cells, m_head.mask, tile, -kInfinity);
      fillKeysTurned(cells, m_hidden, tile, -kInfinity);
      // Scale and exp are monotonic: the largest first, then one product and one exponential a block, not a cell.
      perQuery = foldedBlocks(cells, 0, m_block, m_reduction).mul_(m_head.scale);
      if (weights && !gaps) perQuery.sub_(lse);
      if (weights && gaps) perQuery = at::where(perQuery.eq(-kInfinity), perQuery, perQuery - lse);
    }
    mergeIn(tile, foldedBlocks(perQuery, 1, m_block, m_reduction));
  }

  /// values: (blocks of columns, blocks of rows). Two tiles may lie in one block.
  void mergeIn(const MapRect& tile, const at::Tensor& values) {
    const std::int64_t firstRow = (tile.rows.begin - m_rect.rows.begin) / m_block;
    const std::int64_t firstColumn = (tile.columns.begin - m_rect.columns.begin) / m_block;
    const auto from = values.accessor<float, 2>();
    const std::lock_guard lock(m_mutex);
    auto to = m_result.accessor<double, 2>();
    for (std::int64_t r = 0; r < from.size(1); ++r) {
      for (std::int64_t c = 0; c < from.size(0); ++c)
        merge(to[firstRow + r][firstColumn + c], static_cast<double>(from[c][r]), m_reduction);
    }
  }

  void divide() {
    auto to = m_result.accessor<double, 2>();
    for (std::int64_t r = 0; r < to.size(0); ++r) {
      const Position top = m_rect.rows.begin + r * m_block;
      for (std::int64_t c = 0; c < to.size(1); ++c) {
        const Position left = m_rect.columns.begin + c * m_block;
        const MapRect block{{top, std::min(top + m_block, m_rect.rows.end)},
                            {left, std::min(left + m_block, m_rect.columns.end)}};
        const std::int64_t count = countedIn(m_head.mask, masked(), m_hidden, block);
        if (count > 0) {
          to[r][c] /= static_cast<double>(count);
        } else if (m_stage != Stage::Weights) {
          to[r][c] = static_cast<double>(-kInfinity);
        }
      }
    }
  }

  HeadTensors m_head;
  Stage m_stage;
  MapRect m_rect;
  std::int64_t m_block;
  Reduction m_reduction;
  KeySet m_hidden;
  std::mutex m_mutex;  // of the cells of m_result
  at::Tensor m_result;
};

/// Rows of blocks at a time; an output is as wide as a head or the embedding, so its strips are small.
at::Tensor outputOverview(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block,
                          Reduction reduction, const Progress& progress) {
  const auto share = [&](Position row) {
    return static_cast<double>(row - rect.rows.begin) / static_cast<double>(rect.rows.size());
  };
  std::vector<at::Tensor> strips;
  const auto add = [&](PositionRange rows) {
    const at::Tensor cells =
        tile(data, head, stage, {rows, rect.columns}, progress.part(share(rows.begin), share(rows.begin)));
    at::Tensor values = foldedBlocks(foldedBlocks(cells, 0, block, reduction), 1, block, reduction);
    if (reduction == Reduction::Mean) {
      const at::Tensor ones = at::ones({1, 1}).expand_as(cells);
      values.div_(foldedBlocks(foldedBlocks(ones, 0, block, reduction), 1, block, reduction));
    }
    strips.push_back(values);
  };
  const std::int64_t step = std::max<std::int64_t>(kTileRows / block, 1) * block;
  for (Position begin = rect.rows.begin; begin < rect.rows.end; begin += step)
    add({begin, std::min(begin + step, rect.rows.end)});
  return at::cat(strips, 0);
}

}  // namespace

at::Tensor overview(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block,
                    Reduction reduction, const KeySet& hidden, const Progress& progress) {
  if (!hasKeys(stage)) return outputOverview(data, head, stage, rect, block, reduction, progress);
  return KeyOverview(headTensors(data, head), stage, rect, block, reduction, hidden).compute(progress);
}

}  // namespace core::attention
