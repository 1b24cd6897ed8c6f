// A run of the bundled model at full context, all heads kept: Headscope's capture and nanoGPT's eager lines.
#include <benchmark/benchmark.h>

#include "core/session.h"
#include "tests/bench/nanogpt_eager.h"

namespace {

void captureHeadscope(benchmark::State& state) {
  const auto session = core::Session::open(HEADSCOPE_SOURCE_DIR "/models/shakespeare-char", {}, {});
  const auto& config = session->info().config;
  core::RunRequest request;
  for (std::int64_t i = 0; i < config.context; ++i) {
    request.tokens.push_back(static_cast<core::TokenId>(i % config.vocabulary));
  }
  for (auto _ : state) benchmark::DoNotOptimize(session->run(request, {}));
}

void captureNanoGpt(benchmark::State& state) {
  torch::manual_seed(1);
  const bench::NanoGptEager model;
  const auto tokens = (torch::arange(256, torch::kInt64) % 65).unsqueeze(0);
  for (auto _ : state) benchmark::DoNotOptimize(model.run(tokens));
}

}  // namespace

// The times of the pool's threads count, so the clock on the wall decides.
BENCHMARK(captureHeadscope)->Name("headscope")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(captureNanoGpt)->Name("nanogpt")->Unit(benchmark::kMillisecond)->UseRealTime();
