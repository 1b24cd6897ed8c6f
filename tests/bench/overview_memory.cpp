// Prints how many bytes the overview of a head of 32,768 tokens adds, at its peak, to what the process holds with the
// capture in memory.
#include <exception>
#include <iostream>

#include "tests/bench/long_head.h"
#include "tests/bench/resident_size.h"

int main() {
  try {
    const core::AttentionMap map = bench::longHead();
    const long long before = bench::restartPeak() ? bench::statusBytes("VmRSS:") : -1;
    const core::MapValues overview =
        map.overview(core::Stage::Weights, map.extent(core::Stage::Weights), bench::kBlock, core::Reduction::Max);
    const long long peak = bench::statusBytes("VmHWM:");
    if (before < 0 || peak < 0) {
      std::cerr << "overview_memory: the system does not tell the resident size\n";
      return 1;
    }
    std::cout << peak - before << "\n";
    return overview.values.empty() ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << "overview_memory: " << error.what() << "\n";
    return 1;
  }
}
