// How long work tells its caller how far it is and learns that it should stop.
#pragma once

#include <functional>
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

  /// Errors: Cancelled when the caller does not want to go on.
  void report(double fraction, std::string_view stage) const {
    if (m_function && !m_function(fraction, stage)) throw Error(ErrorKind::Cancelled, "Cancelled.");
  }

 private:
  ProgressFunction m_function;
};

}  // namespace core
