// Forward passes on demand: each line of input names one way, the answer is a line of JSON with its seconds and some
// logits. So rows can ask this program and a peer in another process in turn.
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "core/session.h"

namespace {

constexpr std::size_t kShown = 64;  // logits in an answer: enough to see that two sides compute the same

struct Answer {
  double seconds = 0;
  std::vector<float> logits;
};

/// A run with everything kept, and the logits of its last position.
Answer capture(const core::Session& session, const core::RunRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const auto run = session.run(request, {});
  auto logits = run->logits({run->size() - 1, run->size()});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), std::move(logits)};
}

/// The same logits by the flash path, with nothing kept.
Answer flash(const core::Session& session, core::RunRequest request) {
  request.path = core::AttentionPath::Flash;
  const auto start = std::chrono::steady_clock::now();
  auto logits = session.lastLogits(request, {});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), std::move(logits)};
}

void print(const Answer& answer) {
  std::printf("{\"seconds\": %.6f, \"logits\": [", answer.seconds);
  for (std::size_t i = 0; i < kShown; ++i) std::printf("%s%.9g", i == 0 ? "" : ", ", answer.logits[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<Answer(const core::Session&, const core::RunRequest&)>> ways = {
      {"capture", capture}, {"flash", flash}};
  if (argc != 3) {
    std::fputs("usage: forward_bench FOLDER TOKEN,TOKEN...      (lines of input: capture or flash)\n", stderr);
    return 2;
  }
  try {
    const auto session = core::Session::open(argv[1], {}, {});
    core::RunRequest request;
    request.tokens = session->checkIds(argv[2]).tokens;
    for (std::string way; std::getline(std::cin, way);) print(ways.at(way)(*session, request));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forward_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}
