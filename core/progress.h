// How long work tells its caller how far it is and learns that it should stop.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace core {

/// Takes a fraction in [0, 1] and the stage's name; answers "go on?".
using ProgressFunction = std::function<bool(double fraction, std::string_view stage)>;

/// Core starts no threads; it reports between pieces of work of well under a second.
class Progress {
 public:
  Progress() = default;
  explicit Progress(ProgressFunction function) : m_function(std::move(function)) {}

  /// For a part of the work: its own 0 to 1 is begin to end of the whole, its stage the given one, or its own.
  Progress part(double begin, double end, std::string stage = {}) const {
    return Progress([whole = *this, begin, end, stage = std::move(stage)](double fraction, std::string_view own) {
      whole.report(begin + fraction * (end - begin), stage.empty() ? own : stage);
      return true;
    });
  }

  /// Errors: Cancelled when the caller does not want to go on.
  void report(double fraction, std::string_view stage) const {
    if (m_function && !m_function(fraction, stage)) throw Error(ErrorKind::Cancelled, "Cancelled.");
  }

 private:
  ProgressFunction m_function;
};

}  // namespace core
