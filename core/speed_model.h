// The ways to compute attention, measured on what a model's own run sees.
#pragma once

#include <optional>
#include <vector>

#include "core/progress.h"
#include "core/session.h"
#include "core/speed_measure.h"

namespace core {

struct ModelSpeed {
  RunRequest request;                           ///< its path and type are not used
  std::vector<DType> types = {DType::Float32};  ///< of q, k and v in attention; a forward pass is float32 elsewhere
  std::optional<Layer> layer = std::nullopt;    ///< attention of this layer alone; nullopt: of all, in turn
};

/// Attention alone on q, k, v of the model's own run with their masks, by each kernel; then the forward pass to the
/// last logits by both paths. Errors: as Session::run(); Mismatch when there is no such layer.
SpeedReport timeModel(const Session& session, const ModelSpeed& what, const SpeedOptions& options,
                      const Progress& progress);

}  // namespace core
