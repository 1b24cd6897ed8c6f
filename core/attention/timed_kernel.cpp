#include "core/attention/timed_kernel.h"

#include <algorithm>
#include <functional>

#include "core/attention/door.h"
#include "core/attention/measure.h"
#include "core/attention/memory_meter.h"
#include "core/attention/nanogpt_lines.h"

namespace core::attention {

namespace {

AttentionInput stoppable(const AttentionInput& input, const Progress& progress) {
  AttentionInput result = input;
  result.progress = progress;
  return result;
}

/// What the clock goes around. nanoGPT makes its buffer once, when the model is made: so do we, outside of the clock.
TimedWork timedWork(Kernel kernel, const TimedInputs& inputs) {
  if (kernel != Kernel::NanoGptLines) {
    return [kernel, &inputs](const Progress& progress) {
      for (const AttentionInput& input : inputs) runKernel(kernel, stoppable(input, progress));
    };
  }
  std::vector<at::Tensor> buffers;
  for (const AttentionInput& input : inputs) {
    const auto same = [&](const AttentionInput& other) { return other.mask.window() == input.mask.window(); };
    const auto earlier = static_cast<std::size_t>(std::find_if(inputs.begin(), inputs.end(), same) - inputs.begin());
    buffers.push_back(earlier < buffers.size() ? buffers[earlier] : nanoGptBuffer(input));
  }
  return [buffers, &inputs](const Progress& progress) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      progress.report(0, "");
      nanoGptLines(inputs[i], buffers[i]);
    }
  };
}

/// One run more, for memory, masks and the difference from the manual output, a layer after the other: no more than one
/// layer's outputs are held.
void fillOnceMore(SpeedRow& row, const TimedInputs& inputs, const Progress& progress) {
  OutputDifference difference;
  double largest = 0;
  for (const AttentionInput& plain : inputs) {
    const AttentionInput input = stoppable(plain, progress.part(1, 1));
    AttentionOutput result;
    const std::int64_t peak = peakBytes(row.device, [&] { result = runKernel(row.kernel, input); });
    row.peakBytes = std::max(row.peakBytes, peak);
    row.maskBytes = std::max(row.maskBytes, result.maskBytes);
    if (row.kernel == Kernel::Manual) continue;
    const at::Tensor manual = runKernel(Kernel::Manual, input).output;
    const double here = largestDifference(result.output, manual);
    if (!(here <= difference.absolute)) difference.absolute = here;  // NaN stays
    largest = std::max(largest, largestElement(manual));
  }
  if (row.kernel == Kernel::Manual) return;
  difference.relative = difference.absolute == 0 ? 0 : difference.absolute / largest;
  row.difference = difference;
}

void fill(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, const Progress& progress) {
  row.timing = measure(row.device, options.runs, timedWork(row.kernel, inputs), progress);
  if (row.kernel == Kernel::NanoGptLines) {
    row.outside = "The buffer (T x T) that tells what is visible is made beforehand, outside of the clock.";
  }
  fillOnceMore(row, inputs, progress);
}

}  // namespace

SpeedRow attentionRow(Kernel kernel, Device device, const AttentionShape& shape, std::vector<Window> windows) {
  SpeedRow row{.kernel = kernel,
               .device = device,
               .kernelName = kernelName(kernel, device),
               .shape = shape,
               .windows = std::move(windows)};
  for (const Window window : row.windows) {
    AttentionShape layer = shape;
    layer.window = window;
    row.flop += layer.flop();
    if (row.refusal.empty()) row.refusal = refusal(kernel, device, layer).value_or("");
  }
  return row;
}

void timeKernel(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, const Progress& progress) {
  try {
    atTheDoor("Timing " + row.kernelName, [&] { fill(row, inputs, options, progress); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Cancelled) throw;
    row.refusal = error.what();
    row.timing = {};
  }
}

}  // namespace core::attention
