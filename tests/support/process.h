// Runs a program as a user would, and looks at what comes out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace support {

struct ProcessResult {
  int code = -1;  ///< exit code; 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

/// One run of a program; its output goes to files in a folder that goes with the object.
class Process {
 public:
  /// environment: added to this process's own; an empty value removes the variable.
  Process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& environment, const std::filesystem::path& outputFolder);

  void signal(int number) const;
  /// Waits at most this long; whether the program has ended. wait() is still to be called.
  bool endsWithin(std::chrono::milliseconds time) const;
  /// Waits for the end.
  ProcessResult wait();

 private:
  std::filesystem::path m_folder;
  pid_t m_pid = -1;
};

}  // namespace support
