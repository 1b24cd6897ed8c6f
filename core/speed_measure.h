// The ways to compute attention, measured on given shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/progress.h"
#include "core/speed_report.h"

namespace core {

/// Those that a device has, in the order of their rows.
std::vector<Kernel> kernelsOf(Device device);

struct SpeedOptions {
  Device device = Device::Cpu;
  std::vector<Kernel> kernels = {};  ///< their rows come in the order of the enum; empty: kernelsOf(device)
  int runs = 20;                     ///< that count, in each row; fewer where one takes over a second
  std::optional<std::int64_t> memoryBudget = std::nullopt;  ///< bytes; nullopt: what the device has free
};

/// The same random q, k, v for each kernel of a shape. A kernel that would need more than the budget gets a row that
/// says so, and is not tried at larger T of the same window and type.
/// Errors: Mismatch for a shape with a number below 1 or too large, or query heads that key/value heads don't divide;
/// Cancelled.
SpeedReport timeShapes(const std::vector<AttentionShape>& shapes, const SpeedOptions& options,
                       const Progress& progress);

/// Each length of [first, last] by doubling, for each type and window of `base`. In the order type, window, T.
/// Errors: TooLarge for more than 2^24 tokens.
struct Sweep {
  AttentionShape base;
  std::int64_t first = 64;
  std::int64_t last = 4096;
  std::vector<Window> windows = {Window{}};
  std::vector<DType> types = {DType::Float32};
};
std::vector<AttentionShape> shapesOf(const Sweep& sweep);

}  // namespace core
