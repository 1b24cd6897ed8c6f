#include "core/attention/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#ifdef HEADSCOPE_WITH_CUDA
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace core::attention {

namespace {

constexpr double kSlowSeconds = 1;
constexpr int kFewestRuns = 3;

using Clock = std::function<double(const std::function<void()>&)>;  // seconds of a run

double steadySeconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

#ifdef HEADSCOPE_WITH_CUDA
double eventSeconds(const std::function<void()>& work) {
  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream();
  at::cuda::CUDAEvent begin(cudaEventDefault);  // at::cuda's own default is an event without time
  at::cuda::CUDAEvent end(cudaEventDefault);
  c10::cuda::device_synchronize();
  begin.record(stream);
  work();
  end.record(stream);
  end.synchronize();
  return static_cast<double>(begin.elapsed_time(end)) / 1e3;
}
#endif

Clock clockOf([[maybe_unused]] Device device, Timing& timing) {
#ifdef HEADSCOPE_WITH_CUDA
  if (device == Device::Cuda) {
    timing.clock = "CUDA events";
    return eventSeconds;
  }
#endif
  timing.clock = "steady clock";
  return steadySeconds;
}

std::string fewerRuns(int runs, int asked, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", seconds);
  return std::to_string(runs) + " runs instead of " + std::to_string(asked) + ": one takes " + text + " s";
}

}  // namespace

int runsOf(double seconds, int asked) {
  if (seconds <= kSlowSeconds) return asked;
  return std::min(asked, std::max(kFewestRuns, static_cast<int>(asked * kSlowSeconds / seconds)));
}

Timing measure(Device device, int runs, const TimedWork& work, const Progress& progress) {
  Timing timing;
  const Clock seconds = clockOf(device, timing);
  const auto run = [&](double fraction, const std::string& stage) {
    progress.report(fraction, stage);
    const Progress inside = progress.part(fraction, fraction, stage);
    return seconds([&] { work(inside); });
  };
  timing.cold = run(0, "first run");
  double warm = timing.cold;
  for (const int wanted = timing.cold > kSlowSeconds ? 1 : 2; timing.warmUp < wanted; ++timing.warmUp)
    warm = run(0, "warm-up");

  const int planned = runsOf(warm, runs);
  if (planned < runs) timing.note = fewerRuns(planned, runs, warm);
  timing.samples.reserve(static_cast<std::size_t>(planned));
  for (int n = 0; n < planned; ++n) {
    timing.samples.push_back(
        run((n + 1.0) / (planned + 1.0), "run " + std::to_string(n + 1) + " of " + std::to_string(planned)));
  }
  return timing;
}

}  // namespace core::attention
