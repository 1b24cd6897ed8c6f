// The model that the first start shows, and a prompt that suits it.
#pragma once

#include <QString>

namespace app {

/// The folder of models/shakespeare-char: installed beside the program, else in the source tree. Empty when it is in
/// neither.
QString bundledModel();

/// In the manner of the text that the bundled model was trained on, within its letters and context.
QString bundledPrompt();

}  // namespace app
