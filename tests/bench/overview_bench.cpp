// A head of 32,768 tokens: its exact overview beside a large matrix product, and the cells of a viewport beside the
// product and exponential that they are made of.
#include <ATen/ATen.h>
#include <benchmark/benchmark.h>
#include <c10/core/InferenceMode.h>

#include <cmath>

#include "core/attention/capture_data.h"
#include "tests/bench/long_head.h"

namespace {

using core::Stage;

constexpr std::int64_t kSide = 4096;                                // of the matrices of the large product
constexpr core::MapRect kViewport{{30000, 30900}, {12000, 13200}};  // all of it visible
constexpr core::MapRect kBorder{{30000, 30900}, {29800, 31000}};    // half of it

const core::AttentionMap& map() {
  static const core::AttentionMap made = bench::longHead();
  return made;
}

void overview(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        map().overview(Stage::Weights, map().extent(Stage::Weights), bench::kBlock, core::Reduction::Max));
}

void product(benchmark::State& state) {
  const c10::InferenceMode inference;
  const at::Tensor a = at::randn({kSide, kSide});
  const at::Tensor b = at::randn({kSide, kSide});
  at::Tensor c = at::empty({kSide, kSide});
  for (auto _ : state) benchmark::DoNotOptimize(at::mm_out(c, a, b));
}

void rectangle(benchmark::State& state, core::MapRect cells) {
  for (auto _ : state) benchmark::DoNotOptimize(map().rectangle(Stage::Weights, cells));
}

void bareCells(benchmark::State& state) {
  const c10::InferenceMode inference;
  const core::model::LayerRecord& layer = map().capture().data().layers[0];
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(bench::kHeadSize)));
  const at::Tensor q = layer.q[0].slice(0, kViewport.rows.begin, kViewport.rows.end) * scale;
  const at::Tensor k = layer.k[0].slice(0, kViewport.columns.begin, kViewport.columns.end);
  at::Tensor cells = at::empty({kViewport.rows.size(), kViewport.columns.size()});
  for (auto _ : state) {
    at::mm_out(cells, q, k.t());
    benchmark::DoNotOptimize(cells.exp_());
  }
}

}  // namespace

// The times of the pool's threads count, so the clock on the wall decides.
BENCHMARK(overview)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(product)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rectangle, viewport, kViewport)->Name("viewport")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(rectangle, border, kBorder)->Name("border")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(bareCells)->Name("bare_cells")->Unit(benchmark::kMillisecond)->UseRealTime();
