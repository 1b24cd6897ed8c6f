// The clock around a piece of work: a cold run, a warm-up, and the runs that count.
#pragma once

#include <functional>

#include "core/attention_kernel.h"
#include "core/progress.h"
#include "core/speed_timing.h"

namespace core::attention {

/// One run. Asking the progress that it gets whether to go on is all that it should do with it.
using TimedWork = std::function<void(const Progress&)>;

/// How many runs count when one takes `seconds`: `asked` of them up to a second each; above it as many as take `asked`
/// seconds together, but three, or what is asked for where that is less.
int runsOf(double seconds, int asked);

/// Runs `work` cold, then to warm up (twice; once when a run takes over a second), then runsOf() times.
/// On the CPU the steady clock is read before and after each run. On CUDA events around it on the current stream are,
/// when the device has nothing else left to do. `progress` is asked between runs, outside of the clock.
/// Errors: those of `work`, Cancelled.
Timing measure(Device device, int runs, const TimedWork& work, const Progress& progress);

}  // namespace core::attention
