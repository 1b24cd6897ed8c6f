// The options that several commands share.
#pragma once

#include <CLI/CLI.hpp>

#include "app/cli.h"

namespace app {

CLI::Option* addStep(CLI::App& command, Arguments& arguments);
void addModel(CLI::App& command, Arguments& arguments);  ///< PATH, --step, --tokenizer
void addJson(CLI::App& command, Arguments& arguments);

void addPrompt(CLI::App& command, Arguments& arguments);
void requirePrompt(CLI::App& command, Arguments& arguments);  ///< the same, and exactly one of them is to be given

void addOverrides(CLI::App& command, Arguments& arguments);
void addMemoryBudget(CLI::App& command, Arguments& arguments);
void addPath(CLI::App& command, Arguments& arguments);  ///< --path and --memory-budget

/// -o and --force.
CLI::Option* addOutput(CLI::App& command, Arguments& arguments, const char* text = "The file to write");
/// What of a capture goes into that output, and how a table of it looks.
void addSelection(CLI::App& command, Arguments& arguments, CLI::Option* output);

/// After parsing. Errors: CLI::ValidationError for the output of a capture whose name tells no format, and for an
/// option that its format has no use for.
void requireFittingOutput(const Arguments& arguments);

}  // namespace app
