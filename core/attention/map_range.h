// The smallest and largest value of a head's stage, without ever holding T x T.
#pragma once

#include "core/attention/capture_data.h"
#include "core/attention_map.h"

namespace core::attention {

/// See AttentionMap::range; `extent` is the whole of the stage. Errors: Cancelled.
ValueRange range(const Capture::Data& data, HeadId head, Stage stage, const MapRect& extent, const KeySet& hidden,
                 const Progress& progress);

}  // namespace core::attention
