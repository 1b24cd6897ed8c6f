// Whether a window can be shown at all, asked before Qt would abort.
#pragma once

#include <optional>
#include <string>

namespace app {

/// A sentence when QApplication could not start here: no display server answers, or the platform plugin that
/// QT_QPA_PLATFORM names is missing. nullopt when it can.
std::optional<std::string> displayProblem();

/// Whether this installation of Qt has the platform plugin: "offscreen".
bool hasPlatformPlugin(const char* platform);

}  // namespace app
