// Models at hand: the one that the first start shows, a prompt that suits it, and what else was fetched.
#pragma once

#include <QString>
#include <vector>

namespace app {

struct Sample {
  QString name;  ///< "shakespeare-char", "SmolLM2-135M-Instruct.Q4_1"
  QString path;  ///< a file to open
};

/// What lies in the folders of models: installed beside the program, and in the source tree. Sorted by folder.
std::vector<Sample> samples();

/// models/shakespeare-char/ckpt.pt; empty when it is in neither place.
QString bundledModel();

/// In the manner of the text that the bundled model was trained on, within its letters and context.
QString bundledPrompt();

}  // namespace app
