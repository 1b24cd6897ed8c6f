#include "tests/support/python.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

namespace {

/// The text as one word of the shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace

std::string runPython(const std::filesystem::path& python, const std::string& script, const std::string& argument) {
  const std::string command = quoted(python.string()) + " -c " + quoted(script) + " " + quoted(argument) + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + python.string());
  std::string output;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
  if (pclose(pipe) != 0) throw std::runtime_error(output);
  return output;
}

std::optional<std::filesystem::path> pythonWithNumpy() {
  for (const std::filesystem::path& python : {repository(".venv/bin/python3"), std::filesystem::path("python3")}) {
    try {
      runPython(python, "import numpy", "");
      return python;
    } catch (const std::runtime_error&) {  // no such Python, or no numpy in it
    }
  }
  return std::nullopt;
}

}  // namespace support
