// Whether the two paths agree: manual against flash on the same q, k, v, layer by layer.
#pragma once

#include <optional>
#include <vector>

#include "core/attention_kernel.h"
#include "core/capture.h"
#include "core/progress.h"

namespace core {

struct Agreement {
  double difference = 0;  ///< the largest |manual - flash|
  double largest = 0;     ///< the largest |element| of manual
  double tolerance = 0;
  bool holds() const { return difference <= tolerance; }  // NaN does not
};

struct LayerCheck {
  Layer layer = {};
  Agreement output;
  std::optional<Agreement> lse = std::nullopt;  ///< nullopt where flash gives none
  bool passed() const { return output.holds() && (!lse || lse->holds()); }
};

struct PathCheck {
  Device device = Device::Cpu;
  DType type = DType::Float32;
  std::vector<LayerCheck> layers = {};
  bool passed() const;
};

/// 1e-5 for fp32, 2e-2 for fp16 and bf16: for elements up to 1, and for larger ones in proportion, as the types round.
double pathTolerance(DType type);

/// Runs both kernels on each layer's q, k, v of the run, rounded to `type`.
/// Errors: Unsupported, with the reason, when flash can't take the type or the shape on the device; Cancelled.
PathCheck checkPaths(const Capture& capture, DType type, Device device, const Progress& progress);

}  // namespace core
