// What every entry from outside into Torch goes through: inference mode on, foreign exceptions turned into core::Error.
#pragma once

#include <ATen/ATen.h>

#include <string_view>

#include "core/error.h"

namespace core::attention {

/// Whether an allocation failed, on the CPU or the GPU.
bool isOutOfMemory(const c10::Error& error);

/// Inside a catch block: throws what was caught as a core::Error. The GPU's memory is given back first where it is
/// full, so that the next run works.
[[noreturn]] void rethrowAsError(std::string_view what);

/// Runs `work` and returns its result. `what` begins the sentence of an error: "Running the prompt".
/// Errors: those of work; OutOfMemory for an allocation that failed, Unsupported for anything else Torch refuses.
template <class Work>
auto atTheDoor(std::string_view what, Work&& work) {
  const c10::InferenceMode inference;
  try {
    return work();
  } catch (...) {
    rethrowAsError(what);
  }
}

}  // namespace core::attention
