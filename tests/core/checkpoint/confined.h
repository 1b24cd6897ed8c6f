// Opens a file in a process of its own that may take little memory and do nothing but read (confined_load.cpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace support {

struct ConfinedLoad {
  int code = -1;         ///< of the process: 0, or 128 + SIGSYS for a system call that the sandbox has not
  std::string result;    ///< "opened", or the kind of the refusal
  std::string sentence;  ///< of the refusal
  double seconds = 0;    ///< of the processor
  std::vector<std::filesystem::path> opened;  ///< files and folders, in their order
};

ConfinedLoad loadConfined(const std::filesystem::path& model, const std::filesystem::path& tokenizer = {});

/// The process with these words.
ProcessResult runConfined(const std::vector<std::string>& words);

/// False where a sanitizer or another processor leaves only the loading itself.
bool canConfine();

}  // namespace support
