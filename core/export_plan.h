// What of a capture is to be written, with the choices resolved.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/export.h"

namespace core {

struct ExportPlan {
  std::vector<Layer> layers;
  std::vector<Head> heads;
  std::vector<Position> rows;
  PositionRange columns;
  bool someHeads = false;  ///< layers or heads are chosen
  bool someCells = false;  ///< rows or columns are
  std::int64_t tokens = 0;
  std::int64_t vocabulary = 0;
  PositionRange logitRows;  ///< empty: none are written
  bool allLogits = false;   ///< of every token, as (T, V)

  /// logits: the rows that there are. Errors: Mismatch as exportBytes().
  ExportPlan(const ModelConfig& config, std::int64_t T, const CaptureExport& options, PositionRange logits);

  std::int64_t rowCount() const { return static_cast<std::int64_t>(rows.size()); }
  std::int64_t headCount() const { return static_cast<std::int64_t>(layers.size() * heads.size()); }
  std::int64_t attentionValues() const { return headCount() * rowCount() * columns.size(); }
  std::int64_t logitValues() const { return logitRows.size() * vocabulary; }
  std::vector<PositionRange> rowRuns() const;  ///< the rows in their order as ranges: neighbours together
};

/// Calls use(rows) for blocks of rows of about a million values of `width` each: well under a second of work.
template <class Use>
void inRowBlocks(const PositionRange& rows, std::int64_t width, Use use) {
  const std::int64_t step = std::max<std::int64_t>(1, (std::int64_t{1} << 20) / std::max<std::int64_t>(1, width));
  for (Position begin = rows.begin; begin < rows.end; begin += step) {
    use(PositionRange{begin, std::min(begin + step, rows.end)});
  }
}

/// As numbers for an array.
std::vector<std::int64_t> numbersOf(const std::vector<Layer>& layers);
std::vector<std::int64_t> numbersOf(const std::vector<Head>& heads);
std::vector<std::int64_t> numbersOf(const PositionRange& range);

}  // namespace core
