// Opening a model, in turn with what it is compared with: reading a file's bytes, or opening another.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/session.h"

namespace {

/// Gives the memory of an iteration back to the system, so that the next one meets fresh pages as a first one does.
template <class Held>
void release(benchmark::State& state, Held& held) {
  state.PauseTiming();
  held.reset();
  malloc_trim(0);
  state.ResumeTiming();
}

void openModel(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    auto session = core::Session::open(path, {}, {});
    benchmark::DoNotOptimize(session.get());
    release(state, session);
  }
}

/// All bytes of a file in memory that nobody used before; nullptr when they can't be read.
std::unique_ptr<std::byte[]> freshCopy(const std::filesystem::path& path) {
  const auto size = static_cast<std::size_t>(std::filesystem::file_size(path));
  std::unique_ptr<std::byte[]> bytes(new std::byte[size]);  // not zeroed: reading is the first touch
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::size_t done = 0;
  while (file >= 0 && done < size) {
    const ssize_t got = ::read(file, bytes.get() + done, size - done);
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (file >= 0) ::close(file);
  return done == size ? std::move(bytes) : nullptr;
}

void readFile(benchmark::State& state, const std::filesystem::path& path) {
  for (auto _ : state) {
    auto bytes = freshCopy(path);
    if (!bytes) return state.SkipWithError("the file can't be read");
    benchmark::DoNotOptimize(bytes.get());
    release(state, bytes);
  }
}

using Action = void (*)(benchmark::State&, const std::filesystem::path&);

std::optional<Action> actionOf(const std::string& word) {
  if (word == "open") return openModel;
  if (word == "read") return readFile;
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto ours = argc == 5 ? actionOf(argv[1]) : std::nullopt;
  const auto peer = argc == 5 ? actionOf(argv[3]) : std::nullopt;
  if (!ours || !peer) {
    std::fputs("usage: load_bench (open|read) PATH (open|read) PATH\n", stderr);
    return 2;
  }
  const std::filesystem::path oursPath = argv[2], peerPath = argv[4];
  benchmark::RegisterBenchmark("ours", *ours, oursPath)->Unit(benchmark::kMillisecond)->UseRealTime();
  benchmark::RegisterBenchmark("peer", *peer, peerPath)->Unit(benchmark::kMillisecond)->UseRealTime();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
