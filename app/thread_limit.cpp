#include "app/thread_limit.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>

namespace app {

std::optional<std::string> saneThreadLimit(const std::string& value, unsigned machineThreads) {
  unsigned long threads = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, threads);
  // "4,2" gives nested levels, of which the first counts here.
  const bool readable = error == std::errc() && (stop == end || *stop == ',');
  if (error == std::errc::result_out_of_range || (readable && threads > machineThreads))
    return std::to_string(machineThreads);
  if (!readable || threads == 0) return "";
  return std::nullopt;
}

void limitThreads(char** argv) {
  const char* value = std::getenv("OMP_NUM_THREADS");
  if (value == nullptr) return;
  const auto better = saneThreadLimit(value, std::max(1u, std::thread::hardware_concurrency()));
  if (!better) return;
  if (better->empty()) {
    ::unsetenv("OMP_NUM_THREADS");
  } else {
    ::setenv("OMP_NUM_THREADS", better->c_str(), 1);
  }
  ::execv("/proc/self/exe", argv);  // comes back only when it fails; then OpenMP's own fallback has to do
}

}  // namespace app
