// The program as a window: display check, QApplication, signals of the system, first model, screenshot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace app {

struct WindowOptions {
  std::filesystem::path model;        ///< empty: the bundled one (or the one of the last time)
  std::filesystem::path tokenizer;    ///< empty: where the model keeps it
  std::optional<std::string> prompt;  ///< nullopt: the one of the last time, else a prompt that suits the bundled model
  std::optional<std::string> tokens;  ///< the prompt as token ids
  std::filesystem::path screenshot;   ///< not empty: draw the window after the first run into this PNG and exit
};

/// Returns the exit code: 0; 2 when there is no display (and no screenshot is asked for); for a screenshot 3 when the
/// model can't be loaded, 4 when the prompt can't run, 5 when the picture can't be written.
int runWindow(int& argc, char** argv, const WindowOptions& options);

}  // namespace app
