// The options of `headscope bench`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli.h"

namespace app {

void addBench(CLI::App& command, Arguments& arguments);

/// Stands under the options in the help.
extern const char* const kBenchExamples;

}  // namespace app
