// What every entry from outside into Torch goes through: inference mode on, foreign exceptions turned into core::Error.
#pragma once

#include <ATen/ATen.h>

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "core/error.h"

namespace core::attention {

/// Runs `work` and returns its result. `what` begins the sentence of an error: "Running the prompt".
/// Errors: those of work; OutOfMemory for an allocation that failed, Unsupported for anything else Torch refuses.
template <class Work>
auto atTheDoor(std::string_view what, Work&& work) {
  const c10::InferenceMode inference;
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::OutOfMemory, std::string(what) +
                                            " needs more memory than this machine has free. "
                                            "Use a shorter prompt or close other programs.");
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    if (message.find("allocate memory") != std::string::npos) {
      throw Error(ErrorKind::OutOfMemory,
                  std::string(what) +
                      " needs more memory than this machine has free. "
                      "Use a shorter prompt or close other programs.",
                  message);
    }
    throw Error(ErrorKind::Unsupported, std::string(what) + " failed inside LibTorch; see the details.", error.what());
  } catch (const std::exception& error) {
    throw Error(ErrorKind::Unsupported, std::string(what) + " failed; see the details.", error.what());
  }
}

}  // namespace core::attention
