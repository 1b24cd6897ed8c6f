#include "core/memory_estimate.h"
#include "core/free_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "core/attention/memory_meter.h"
#include "core/error.h"
#include "core/session.h"
#include "tests/support/files.h"

namespace core {
namespace {

std::shared_ptr<const Session> bundled() {
  static const auto session = Session::open(support::repository("models/shakespeare-char"), {}, {});
  return session;
}

TEST(MemoryEstimate, WhatIsKeptIsWhatACaptureHolds) {
  for (const std::size_t T : {1U, 60U, 256U}) {
    const auto capture = bundled()->run({std::vector<TokenId>(T, 1), {}}, {});
    EXPECT_EQ(estimateRun(bundled()->info().config, static_cast<std::int64_t>(T)).kept,
              static_cast<std::int64_t>(capture->bytes()));
  }
}

TEST(MemoryEstimate, RunAboveTheBudgetIsRefusedWithBothNumbersAndWhatFits) {
  RunRequest request{std::vector<TokenId>(200, 1), {}};
  const std::int64_t needed = estimateRun(bundled()->info().config, 200).total();
  request.memoryBudget = needed;
  const auto before = bundled()->run(request, {});
  request.memoryBudget = needed / 2;
  try {
    bundled()->run(request, {});
    FAIL() << "it ran";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::OutOfMemory);
    EXPECT_THAT(error.what(), testing::HasSubstr("200 tokens"));
    const std::string sentence = error.what();
    const auto offer = sentence.find("at most ");
    ASSERT_NE(offer, std::string::npos) << sentence;
    request.tokens.resize(std::stoul(sentence.substr(offer + 8)));
  }
  // What it offers runs, one token more does not, and what was there before is still there.
  EXPECT_GT(request.tokens.size(), 50U);
  EXPECT_EQ(bundled()->run(request, {})->size(), static_cast<std::int64_t>(request.tokens.size()));
  request.tokens.push_back(1);
  EXPECT_THROW(bundled()->run(request, {}), Error);
  EXPECT_EQ(before->size(), 200);
  request.memoryBudget = 10;
  EXPECT_THROW(bundled()->run(request, {}), Error);
  EXPECT_THROW(bundled()->lastLogits(request, {}), Error);
  EXPECT_THROW(bundled()->generate(request, 5, {}, {}, {}), Error);
}

// The estimate is an upper bound, and no empty one: LibTorch's allocator is asked what a run really held at once.
TEST(MemoryEstimate, RunTakesAtMostTheEstimateAndMostOfIt) {
  for (const char* folder : {"models/shakespeare-char", "tests/data/hf-gpt2", "tests/data/hf-llama-gqa",
                             "tests/data/hf-qwen3-qknorm", "tests/data/nanochat-2026-07"}) {
    const auto session = Session::open(support::repository(folder), {}, {});
    for (const std::int64_t T : {std::int64_t{16}, std::int64_t{120}, session->info().config.longestPrompt}) {
      if (T > session->info().config.longestPrompt) continue;
      SCOPED_TRACE(std::string(folder) + ", " + std::to_string(T) + " tokens");
      const RunRequest request{std::vector<TokenId>(static_cast<std::size_t>(T), 1), {}};
      std::shared_ptr<const Capture> capture;
      const std::int64_t held = attention::peakBytes(Device::Cpu, [&] { capture = session->run(request, {}); });
      const std::int64_t estimate = estimateRun(session->info().config, T).total();
      EXPECT_LE(held, estimate);
      EXPECT_GE(static_cast<double>(held), 0.5 * static_cast<double>(estimate));
    }
  }
}

TEST(FreeMemory, ThisMachineHasSome) { EXPECT_GT(freeMemory(), std::int64_t{1} << 20); }

/// A root with these files.
class Machine {
 public:
  explicit Machine(std::int64_t availableKilobytes) {
    write("proc/meminfo", "MemTotal: 999999999 kB\nMemAvailable:   " + std::to_string(availableKilobytes) + " kB\n");
  }
  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((m_root / path).parent_path());
    support::writeFile(m_root / path, text);
  }
  std::int64_t free() const { return freeMemory(m_root.path()); }

 private:
  support::TemporaryFolder m_root;
};

TEST(FreeMemory, IsWhatTheSystemHasAvailable) {
  EXPECT_EQ(Machine(5).free(), 5 * 1024);
  EXPECT_EQ(freeMemory("/no/such/root"), std::numeric_limits<std::int64_t>::max());
}

TEST(FreeMemory, TheTightestGroupAboveTheProcessDecidesAndItsFileCacheCountsAsFree) {
  Machine machine(1'000'000);
  machine.write("proc/self/cgroup", "0::/outer/inner\n");
  machine.write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  machine.write("sys/fs/cgroup/outer/inner/memory.current", "10000\n");
  EXPECT_EQ(machine.free(), 1'000'000 * 1024);
  machine.write("sys/fs/cgroup/outer/memory.max", "50000\n");
  machine.write("sys/fs/cgroup/outer/memory.current", "20000\n");
  EXPECT_EQ(machine.free(), 30'000);
  machine.write("sys/fs/cgroup/outer/memory.stat", "anon 12000\ninactive_file 8000\nactive_file 1\n");
  EXPECT_EQ(machine.free(), 38'000);
}

TEST(FreeMemory, Version1OfControlGroups) {
  Machine machine(1'000'000);
  machine.write("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a\n");
  machine.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
  machine.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "4096\n");
  machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "70000\n");
  machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "60000\n");
  machine.write("sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 500\n");
  EXPECT_EQ(machine.free(), 10'500);
}

}  // namespace
}  // namespace core
