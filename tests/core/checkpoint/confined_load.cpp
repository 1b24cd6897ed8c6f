// Opens one model as the program does, in a sandbox, and says on standard output what came of it:
//   result Corrupt            (or "opened")
//   seconds 0.012             of the processor
//   sentence /x/ckpt.pt: ...
// usage: confined_load MODEL [TOKENIZER] | confined_load --try ACTION
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "core/checkpoint/checkpoint.h"
#include "core/error.h"
#include "tests/core/checkpoint/sandbox.h"

namespace {

double secondsOfTheProcessor() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// What a file might make a loader do, to see that the sandbox has no way to it. `path`: of a file that is there.
void attempt(const std::string& action, const std::string& path) {
  const auto expect = [](bool done) {
    if (!done) std::perror("not done");
  };
  if (action == "start a shell") {
    expect(std::system("true") == 0);
  } else if (action == "fork") {
    expect(fork() >= 0);
  } else if (action == "write a file") {
    std::ofstream(path) << "x";
  } else if (action == "make a file") {
    std::ofstream(path + ".new") << "x";
  } else if (action == "delete a file") {
    expect(unlink(path.c_str()) == 0);
  } else if (action == "rename a file") {
    expect(std::rename(path.c_str(), (path + ".new").c_str()) == 0);
  } else if (action == "make a folder") {
    std::filesystem::create_directory(path + ".new");
  } else if (action == "open a connection") {
    expect(socket(AF_INET, SOCK_STREAM, 0) >= 0);
  } else if (action == "map a file") {
    std::FILE* file = std::fopen(path.c_str(), "r");
    expect(file != nullptr && mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, fileno(file), 0) != MAP_FAILED);
  } else if (action == "make code") {
    expect(mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  } else if (action == "take memory") {
    try {
      const std::string bytes(257u << 20, 'x');
      std::printf("%zu bytes\n", bytes.size());
    } catch (const std::bad_alloc&) {
      std::printf("result bad_alloc\n");
    }
  } else if (action == "read a file") {
    std::ifstream file(path);
    std::printf("result %c\n", file.get());
  }
}

void load(const std::filesystem::path& model, const std::filesystem::path& tokenizer) {
  std::optional<core::Error> refused;
  const double start = secondsOfTheProcessor();
  try {
    core::checkpoint::load(model, {.tokenizer = tokenizer}, core::Progress());
  } catch (const core::Error& error) {
    refused = error;
  }
  const std::string kind = refused ? std::string(core::name(refused->kind())) : "opened";
  std::printf("result %s\nseconds %.3f\nsentence %s\n", kind.c_str(), secondsOfTheProcessor() - start,
              refused ? refused->what() : "");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (support::kCanConfine) {
    support::limitResources();
    support::confineToReading();
  }
  if (first == "--try" && argc == 4) {
    attempt(argv[2], argv[3]);
  } else if (argc == 2 || argc == 3) {
    load(first, argc == 3 ? argv[2] : "");
  } else {
    std::fputs("usage: confined_load MODEL [TOKENIZER]\n       confined_load --try ACTION FILE\n", stderr);
    return 64;
  }
  std::fflush(stdout);
  return 0;
}
