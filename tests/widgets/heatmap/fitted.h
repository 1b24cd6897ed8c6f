// Whether a map is shown whole: fitting it once more would move nothing.
#pragma once

#include "widgets/heatmap/heatmap_geometry.h"

namespace support {

inline bool isFitted(const widgets::HeatmapGeometry& geometry) {
  widgets::HeatmapGeometry fitted = geometry;
  fitted.fit();
  return fitted.rows() == geometry.rows() && fitted.columns() == geometry.columns();
}

}  // namespace support
