// What `headscope bench` is told beyond the options that other commands have too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/attention_kernel.h"

namespace app {

enum class BenchWork { Time, Verify };

/// Lengths from first to last, each twice the one before.
struct Lengths {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct BenchArguments {
  BenchWork work = BenchWork::Time;
  std::optional<core::AttentionShape> shape;  ///< B, H, Hkv, T, D alone
  std::optional<Lengths> sweep;
  std::vector<core::DType> types = {core::DType::Float32};
  std::vector<core::Kernel> kernels;  ///< empty: all of the device
  std::optional<int> runs;
  std::optional<int> threads;
  std::optional<int> layer;  ///< nullopt: all
};

}  // namespace app
