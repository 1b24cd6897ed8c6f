// A head's stage reduced over blocks of cells, without ever holding T x T.
#pragma once

#include <ATen/ATen.h>

#include "core/attention/capture_data.h"
#include "core/attention_map.h"

namespace core::attention {

/// Shape: (ceil(rows / block), ceil(columns / block)); see AttentionMap::overview. Errors: Cancelled.
at::Tensor overview(const Capture::Data& data, HeadId head, Stage stage, const MapRect& rect, std::int64_t block,
                    Reduction reduction, const KeySet& hidden, const Progress& progress);

}  // namespace core::attention
