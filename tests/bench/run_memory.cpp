// Prints how many bytes one captured run adds, at its peak, to what the process holds with the model open.
#include <exception>
#include <iostream>
#include <string>

#include "core/session.h"
#include "tests/bench/resident_size.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: run_memory FOLDER TOKEN,TOKEN...\n";
    return 2;
  }
  try {
    const auto session = core::Session::open(argv[1], {}, {});
    core::RunRequest request;
    request.tokens = session->checkIds(argv[2]).tokens;
    const long long opened = bench::restartPeak() ? bench::statusBytes("VmRSS:") : -1;
    const auto capture = session->run(request, {});
    const auto logits = capture->logits({capture->size() - 1, capture->size()});
    const long long peak = bench::statusBytes("VmHWM:");
    if (opened < 0 || peak < 0) {
      std::cerr << "run_memory: the system does not tell the resident size\n";
      return 1;
    }
    std::cout << peak - opened << "\n";
    return logits.empty() ? 1 : 0;
  } catch (const std::exception& error) {
    std::cerr << "run_memory: " << error.what() << "\n";
    return 1;
  }
}
