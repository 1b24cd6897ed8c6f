#include "core/attention/attention_tiles.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/attention/head_tensors.h"
#include "core/attention/tile_work.h"

namespace core::attention {

namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
constexpr std::int64_t kOutputRows = 128;  // so that each strip has long rows of weights and there is work for all

/// One tile of a stage whose columns are keys. out: (rows, columns), maybe part of a larger matrix.
void keysInto(at::Tensor out, const HeadTensors& head, Stage stage, const MapRect& tile) {
  const bool masked = stage != Stage::Scores;
  const float hidden = stage == Stage::Weights ? 0 : kMinusInfinity;
  if (masked && !head.mask.anyVisible(tile.rows, tile.columns)) {
    out.fill_(hidden);
    return;
  }
  productsInto(out, head, tile);
  out.mul_(head.scale);
  if (stage == Stage::Weights) out.sub_(part(head.lse, tile.rows).unsqueeze(1)).exp_();
  // Last: the exponential of a hidden score may be anything.
  if (masked && !head.mask.allVisible(tile.rows, tile.columns)) fillHidden(out, head.mask, tile, hidden);
}

std::vector<PositionRange> columnPieces(PositionRange rows, PositionRange columns) {
  // Few rows: the columns in longer pieces, so that a single row is not made of many small products.
  return pieces(columns, 1, kTileCells / std::clamp<std::int64_t>(rows.size(), 1, kTileRows));
}

void keysByTiles(const at::Tensor& out, const HeadTensors& head, Stage stage, const MapRect& rect,
                 const Progress& progress) {
  const auto tiles = tilesOf(pieces(rect.rows, 1, kTileRows), columnPieces(rect.rows, rect.columns));
  forEachTile(tiles, progress, [&](const MapRect& tile, const at::Tensor&) {
    keysInto(out.narrow(0, tile.rows.begin - rect.rows.begin, tile.rows.size())
                 .narrow(1, tile.columns.begin - rect.columns.begin, tile.columns.size()),
             head, stage, tile);
  });
}

/// columns: of the head's D. The weights exist one tile at a time.
void outputInto(const at::Tensor& out, const HeadTensors& head, const MapRect& rect, const Progress& progress) {
  const at::Tensor v = head.v.slice(1, rect.columns.begin, rect.columns.end);  // (T, columns)
  std::vector<MapRect> strips;
  for (const PositionRange& rows : pieces(rect.rows, 1, kOutputRows))
    strips.push_back({rows, head.mask.visibleKeys(rows)});
  forEachTile(strips, progress, [&](const MapRect& strip, const at::Tensor& workspace) {
    at::Tensor y = out.narrow(0, strip.rows.begin - rect.rows.begin, strip.rows.size());
    y.zero_();
    for (const PositionRange& keys : columnPieces(strip.rows, strip.columns)) {
      const MapRect tile{strip.rows, keys};
      const at::Tensor weights = workspace.narrow(0, 0, tile.cells()).view({tile.rows.size(), tile.columns.size()});
      keysInto(weights, head, Stage::Weights, tile);
      y.addmm_(weights, part(v, keys));
    }
  });
}

/// Only the heads whose slice of C the columns touch are computed.
void reassembledInto(const at::Tensor& out, const Capture::Data& data, HeadId head, const MapRect& rect,
                     const Progress& progress) {
  const std::int64_t D = data.info.config.headSize;
  for (std::int64_t h = rect.columns.begin / D; h * D < rect.columns.end; ++h) {
    const double share = static_cast<double>(std::max(h * D - rect.columns.begin, std::int64_t{0})) /
                         static_cast<double>(rect.columns.size());
    const PositionRange columns{std::max(rect.columns.begin, h * D), std::min(rect.columns.end, (h + 1) * D)};
    outputInto(out.narrow(1, columns.begin - rect.columns.begin, columns.size()),
               headTensors(data, {head.layer, Head(static_cast<int>(h))}),
               {rect.rows, {columns.begin - h * D, columns.end - h * D}}, progress.part(share, share));
  }
}

}  // namespace

void tileInto(at::Tensor out, const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect,
              const Progress& progress) {
  if (rect.cells() == 0) return;
  switch (stage) {
    case Stage::Scores:
    case Stage::MaskedScores:
    case Stage::Weights: keysByTiles(out, headTensors(data, head), stage, rect, progress); break;
    case Stage::Output: outputInto(out, headTensors(data, head), rect, progress); break;
    case Stage::Reassembled: reassembledInto(out, data, head, rect, progress); break;
  }
}

at::Tensor tile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, const Progress& progress) {
  at::Tensor out = at::empty({rect.rows.size(), rect.columns.size()});
  tileInto(out, data, head, stage, rect, progress);
  return out;
}

at::Tensor countedCells(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect) {
  at::Tensor counted = at::ones({rect.rows.size(), rect.columns.size()});
  if (stage == Stage::MaskedScores || stage == Stage::Weights) fillHidden(counted, data.mask(head.layer), rect, 0);
  return counted.to(at::kBool);
}

}  // namespace core::attention
