// What a process holds, from Linux.
#pragma once

#include <fstream>
#include <string>

namespace bench {

/// A line of /proc/self/status that is given in kB, in bytes; -1 when it is not there. Source: proc(5).
inline long long statusBytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long long kilobytes = 0;
    if (word == name && status >> kilobytes) return 1024 * kilobytes;
  }
  return -1;
}

/// "VmHWM:" is the largest resident size from now on. Source: proc(5), clear_refs.
inline bool restartPeak() { return static_cast<bool>(std::ofstream("/proc/self/clear_refs") << 5 << std::flush); }

}  // namespace bench
