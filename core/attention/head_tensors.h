// What one head of a capture is made of, and pieces of its scores.
#pragma once

#include <ATen/ATen.h>

#include "core/attention/capture_data.h"
#include "core/attention_map.h"

namespace core::attention {

struct HeadTensors {
  at::Tensor q;    ///< (T, D)
  at::Tensor k;    ///< (T, D), of its key/value head
  at::Tensor v;    ///< (T, D)
  at::Tensor lse;  ///< (T)
  double scale;    ///< 1 / sqrt(D)
  AttentionMask mask;
};

HeadTensors headTensors(const Capture::Data& data, HeadId head);

/// q k^T of the tile, written to `out` (rows, columns), which may be part of a larger matrix: only its rows have to lie
/// in one piece. To be scaled afterwards: scaled on the way in, it would be rounded at other places than the manual
/// path's scores.
void productsInto(at::Tensor out, const HeadTensors& head, const MapRect& tile);

/// The same turned round, (columns, rows): what is reduced over keys then runs along memory.
void turnedProductsInto(at::Tensor out, const HeadTensors& head, const MapRect& tile);

/// Sets the cells that the mask hides; others stay. cells: (rows, columns), as productsInto() leaves them.
void fillHidden(const at::Tensor& cells, const AttentionMask& mask, const MapRect& tile, float value);

/// The same for cells as turnedProductsInto() leaves them: (columns, rows), contiguous.
void fillHiddenTurned(const at::Tensor& cells, const AttentionMask& mask, const MapRect& tile, float value);

/// Sets the cells of these keys, in the same layout.
void fillKeysTurned(const at::Tensor& cells, const KeySet& keys, const MapRect& tile, float value);

inline at::Tensor part(const at::Tensor& perPosition, PositionRange range) {
  return perPosition.slice(0, range.begin, range.end);
}

}  // namespace core::attention
