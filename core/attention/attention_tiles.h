// Any part of one head's stages from q, k, v and lse: a weight is exp(score - lse), one entry at a time.
#pragma once

#include <ATen/ATen.h>

#include "core/attention_map.h"

namespace core::attention {

/// Shape: (rect.rows, rect.columns), float32; the rectangle is inside the stage's extent.
at::Tensor tile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect);

/// Shape: as rect; true for the cells that count in a reduction or a range: the visible ones in MaskedScores and
/// Weights, all of them in the other stages.
at::Tensor countedCells(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect);

/// Shape: (ceil(rows / block), ceil(columns / block)); see AttentionMap::overview.
at::Tensor reducedTile(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block,
                       Reduction reduction);

}  // namespace core::attention
