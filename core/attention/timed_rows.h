// Rows of several kernels on the same inputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/timed_inputs.h"
#include "core/progress.h"
#include "core/speed_measure.h"

namespace core::attention {

/// A row's part of the whole. The stage says which row it is.
class RowProgress {
 public:
  RowProgress(const Progress& progress, std::size_t rows) : m_progress(progress), m_rows(static_cast<double>(rows)) {}
  /// Must not outlive this object.
  Progress next(std::string name);
  void skip() { ++m_next; }  ///< a row that did not run

 private:
  const Progress& m_progress;
  double m_rows;
  int m_next = 0;
};

/// With what is free where no budget is given, and the kernels in the enum's order, manual first: the others are
/// compared with it.
SpeedOptions settled(SpeedOptions options);

/// Why the kernel would take more on so many layers than the budget of settled() options; nullopt when it would not.
std::optional<std::string> doesNotFit(Kernel kernel, const AttentionShape& shape, std::size_t layers,
                                      const SpeedOptions& options);

/// Times those rows that have no refusal yet. The inputs are made when the first of them needs them. Errors: Cancelled.
void timeRows(std::vector<SpeedRow>& rows, const std::function<TimedInputs()>& makeInputs, const SpeedOptions& options,
              RowProgress& progress);

}  // namespace core::attention
