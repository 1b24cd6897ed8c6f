// Any part of one head's stages from q, k, v and lse: a weight is exp(score - lse), one entry at a time.
#pragma once

#include <ATen/ATen.h>

#include "core/attention/capture_data.h"
#include "core/attention_map.h"

namespace core::attention {

/// Writes a rectangle inside the stage's extent to `out`: (rect.rows, rect.columns), float32, contiguous.
/// Progress is reported between strips. Errors: Cancelled.
void tileInto(at::Tensor out, const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect,
              const Progress& progress);

/// The same in memory of its own.
at::Tensor tile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, const Progress& progress);

/// Shape: as rect; true for the cells that count in a range: the visible ones in MaskedScores and Weights, all of them
/// in the other stages.
at::Tensor countedCells(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect);

}  // namespace core::attention
