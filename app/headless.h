// The commands without a window.
#pragma once

#include "app/cli.h"
#include "core/error.h"

namespace app {

/// Runs any command but the window; results to standard output, errors to standard error as "headscope: Kind:
/// sentence". Returns the exit code.
int runHeadless(const Arguments& arguments);

/// Writes an error as every part of the program does on standard error.
void printError(const core::Error& error);

}  // namespace app
