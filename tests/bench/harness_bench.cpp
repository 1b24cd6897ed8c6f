// What the measurement itself costs: runs of attention through core::attention::measure(), and the same number of runs
// in a bare loop.
#include <benchmark/benchmark.h>

#include "core/attention/kernels.h"
#include "core/attention/measure.h"
#include "core/attention/timed_inputs.h"

namespace {

constexpr int kRuns = 20;
constexpr int kRunsBefore = 3;  // the cold one and the warm-up

struct Work {
  c10::InferenceMode inference;
  core::attention::TimedInputs inputs;
  explicit Work(std::int64_t T)
      : inputs(core::attention::randomInputs({.H = 12, .Hkv = 12, .T = T, .window = {}}, core::Device::Cpu)) {}
  void run() const {
    benchmark::DoNotOptimize(core::attention::runKernel(core::Kernel::Flash, inputs[0]).output.data_ptr());
  }
};

void bare(benchmark::State& state) {
  const Work work(state.range(0));
  for (auto _ : state) {
    for (int run = 0; run < kRunsBefore + kRuns; ++run) work.run();
  }
}

void harness(benchmark::State& state) {
  const Work work(state.range(0));
  const core::Progress progress([](double, std::string_view) { return true; });
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::attention::measure(
        core::Device::Cpu, kRuns, [&](const core::Progress&) { work.run(); }, progress));
  }
}

}  // namespace

// Work of some ten microseconds, and of milliseconds.
BENCHMARK(bare)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(harness)->Arg(16)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();
