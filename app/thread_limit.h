// OMP_NUM_THREADS as people set it, and as it should be.
#pragma once

#include <optional>
#include <string>

namespace app {

/// What to put in the place of a value of OMP_NUM_THREADS: nullopt keeps it, "" removes it, else a number of threads.
/// "0", "abc" and the like are removed; more threads than the machine has become as many as it has.
std::optional<std::string> saneThreadLimit(const std::string& value, unsigned machineThreads);

/// Starts the program anew with a sane OMP_NUM_THREADS where it is not: OpenMP reads it before main().
void limitThreads(char** argv);

}  // namespace app
