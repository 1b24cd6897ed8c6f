#include "tests/core/checkpoint/confined.h"

#include <sstream>

#include "tests/core/checkpoint/sandbox.h"
#include "tests/support/files.h"

namespace support {

ProcessResult runConfined(const std::vector<std::string>& words) {
  const TemporaryFolder streams;
  return Process(HEADSCOPE_CONFINED_LOAD, words, {}, streams.path()).wait();
}

ConfinedLoad loadConfined(const std::filesystem::path& model, const std::filesystem::path& tokenizer) {
  std::vector<std::string> words{model.string()};
  if (!tokenizer.empty()) words.push_back(tokenizer.string());
  const ProcessResult process = runConfined(words);
  ConfinedLoad load;
  load.code = process.code;
  std::istringstream out(process.out), err(process.err);
  std::string word;
  out >> word >> load.result >> word >> load.seconds >> word;
  std::getline(out >> std::ws, load.sentence);
  for (std::string line; std::getline(err, line);) {
    if (line.starts_with("open ")) load.opened.emplace_back(line.substr(5));
  }
  return load;
}

bool canConfine() { return kCanConfine; }

}  // namespace support
