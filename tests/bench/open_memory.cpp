// Prints how many bytes opening a model adds to the largest resident size that the process has had.
#include <iostream>

#include "core/device.h"
#include "core/session.h"
#include "tests/bench/resident_size.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: open_memory PATH\n";
    return 2;
  }
  core::deviceFacts();  // LibTorch itself is there before anything is open
  const long long before = bench::statusBytes("VmHWM:");
  const auto session = core::Session::open(argv[1], {}, {});
  const long long after = bench::statusBytes("VmHWM:");
  if (before < 0 || after < 0) return 1;
  std::cout << after - before << "\n";
  return session->info().parameters > 0 ? 0 : 1;
}
