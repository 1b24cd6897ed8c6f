// Prints how many bytes opening a model adds to the largest resident size that the process has had.
#include <fstream>
#include <iostream>
#include <string>

#include "core/device.h"
#include "core/session.h"

namespace {

/// The high-water mark of the resident size, in bytes. Source: proc(5), VmHWM in kB.
long long largestResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: open_memory PATH\n";
    return 2;
  }
  core::deviceFacts();  // LibTorch itself is there before anything is open
  const long long before = largestResidentBytes();
  const auto session = core::Session::open(argv[1], {}, {});
  const long long after = largestResidentBytes();
  if (before < 0 || after < 0) return 1;
  std::cout << after - before << "\n";
  return session->info().parameters > 0 ? 0 : 1;
}
