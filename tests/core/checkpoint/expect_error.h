// "This input is refused, with this kind, in a sentence that says these things, without taking memory or time."
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/error.h"

namespace support {

/// Runs `action`, which must throw core::Error of `kind` whose sentence has every one of `parts`, ends as a sentence
/// does, tells what to do, takes less than 2 s and raises the peak of this process's memory by less than 256 MiB.
void expectError(core::ErrorKind kind, const std::vector<std::string>& parts, const std::function<void()>& action);

}  // namespace support
