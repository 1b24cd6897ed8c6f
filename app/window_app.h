// The program as a window: display check, QApplication, signals of the system, first model, screenshot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/output_file.h"
#include "core/session.h"

namespace app {

struct WindowOptions {
  std::filesystem::path model;        ///< empty: the bundled one (or the one of the last time)
  std::optional<std::int64_t> step;   ///< of a folder that holds several; nullopt: the window asks
  std::filesystem::path tokenizer;    ///< empty: where the model keeps it
  std::optional<std::string> prompt;  ///< nullopt: the one of the last time, else a prompt that suits the bundled model
  std::optional<std::string> tokens;  ///< the prompt as token ids
  std::optional<core::Prefix> prefix;                    ///< nullopt: as the last time
  core::Specials specials = core::Specials::AsUpstream;  ///< of a prompt that is text
  core::Overrides overrides;                             ///< of the first model's runs
  std::optional<std::int64_t> memoryBudget;              ///< bytes, of every run
  std::filesystem::path screenshot;  ///< not empty: draw the window after the first run into this PNG and exit
  core::Existing existing = core::Existing::Refuse;  ///< of the screenshot
};

/// Returns the exit code: 0; 2 when there is no display (and no screenshot is asked for) or the step is not there (for
/// a screenshot: or none of several is named); for a screenshot 3 when the model can't be loaded, 4 when the prompt
/// can't run or its map can't be computed, 5 when the picture can't be written. Also 4 when the prompt has bytes that
/// the window's editor would change.
int runWindow(int& argc, char** argv, const WindowOptions& options);

}  // namespace app
