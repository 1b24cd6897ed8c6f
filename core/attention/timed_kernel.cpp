#include "core/attention/timed_kernel.h"

#include <algorithm>
#include <functional>

#include "core/attention/door.h"
#include "core/attention/measure.h"
#include "core/attention/memory_meter.h"
#include "core/attention/nanogpt_lines.h"

namespace core::attention {

namespace {

/// What the clock goes around. nanoGPT makes its mask once, when the model is made: so do we, outside of the clock.
std::function<void()> timedWork(Kernel kernel, const TimedInputs& inputs) {
  if (kernel != Kernel::NanoGptLines) {
    return [kernel, &inputs] {
      for (const AttentionInput& input : inputs) runKernel(kernel, input);
    };
  }
  std::vector<at::Tensor> masks;
  for (const AttentionInput& input : inputs) {
    const auto same = [&](const AttentionInput& other) { return other.mask.window() == input.mask.window(); };
    const auto earlier = static_cast<std::size_t>(std::find_if(inputs.begin(), inputs.end(), same) - inputs.begin());
    masks.push_back(earlier < masks.size() ? masks[earlier] : nanoGptMask(input));
  }
  return [masks, &inputs] {
    for (std::size_t i = 0; i < inputs.size(); ++i) nanoGptLines(inputs[i], masks[i]);
  };
}

OutputDifference differenceOf(const std::vector<at::Tensor>& outputs, const std::vector<at::Tensor>& manual) {
  OutputDifference found;
  double largest = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double difference = largestDifference(outputs[i], manual[i]);
    if (!(difference <= found.absolute)) found.absolute = difference;  // NaN stays
    largest = std::max(largest, largestElement(manual[i]));
  }
  found.relative = found.absolute == 0 ? 0 : found.absolute / largest;
  return found;
}

void fill(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, std::vector<at::Tensor>& manual,
          const Progress& progress) {
  row.timing = measure(row.device, options.runs, timedWork(row.kernel, inputs), progress);
  if (row.kernel == Kernel::NanoGptLines) row.outside = "The mask (T x T) is made beforehand, outside of the clock.";

  std::vector<at::Tensor> outputs;
  for (const AttentionInput& input : inputs) {
    AttentionOutput result;
    const std::int64_t peak = peakBytes(row.device, [&] { result = runKernel(row.kernel, input); });
    row.peakBytes = std::max(row.peakBytes, peak);
    row.maskBytes = std::max(row.maskBytes, result.maskBytes);
    outputs.push_back(std::move(result.output));
  }
  if (!manual.empty()) row.difference = differenceOf(outputs, manual);
  if (row.kernel == Kernel::Manual) manual = std::move(outputs);
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

void timeKernel(SpeedRow& row, const TimedInputs& inputs, const SpeedOptions& options, std::vector<at::Tensor>& manual,
                const Progress& progress) {
  try {
    atTheDoor("Timing " + row.kernelName, [&] { fill(row, inputs, options, manual, progress); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Cancelled) throw;
    row.refusal = error.what();
    row.timing = {};
  }
}

}  // namespace core::attention
