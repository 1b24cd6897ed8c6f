#include "core/attention/timed_rows.h"

#include <algorithm>
#include <utility>

#include "core/attention/door.h"
#include "core/attention/timed_kernel.h"
#include "core/speed_memory.h"

namespace core::attention {

namespace {

std::string nameOf(const SpeedRow& row) {
  return std::string(word(row.kernel)) + " " + word(row.shape.type) + " T = " + std::to_string(row.shape.T);
}

}  // namespace

Progress RowProgress::next(std::string name) {
  const double begin = m_next++ / m_rows;
  return Progress([this, begin, name = std::move(name)](double fraction, std::string_view stage) {
    m_progress.report(begin + fraction / m_rows, name + ", " + std::string(stage));
    return true;
  });
}

SpeedOptions settled(SpeedOptions options) {
  if (!options.memoryBudget) options.memoryBudget = freeBytes(options.device);
  if (options.kernels.empty()) options.kernels = kernelsOf(options.device);
  std::sort(options.kernels.begin(), options.kernels.end());
  options.kernels.erase(std::unique(options.kernels.begin(), options.kernels.end()), options.kernels.end());
  return options;
}

std::optional<std::string> doesNotFit(Kernel kernel, const AttentionShape& shape, std::size_t layers,
                                      const SpeedOptions& options) {
  // Each layer's q, k and v are there at once, and one layer runs.
  const auto further = static_cast<std::int64_t>(layers) - 1;
  return overBudget(kernelBytes(kernel, options.device, shape) + further * inputBytes(shape), *options.memoryBudget);
}

void timeRows(std::vector<SpeedRow>& rows, const std::function<TimedInputs()>& makeInputs, const SpeedOptions& options,
              RowProgress& progress) {
  std::optional<TimedInputs> inputs;
  for (SpeedRow& row : rows) {
    if (!row.ran()) {
      progress.skip();
      continue;
    }
    const Progress part = progress.next(nameOf(row));
    try {
      if (!inputs) inputs = atTheDoor("Making the inputs", makeInputs);
    } catch (const Error& error) {
      row.refusal = error.what();  // what was measured before stays
      continue;
    }
    timeKernel(row, *inputs, options, part);
  }
}

}  // namespace core::attention
