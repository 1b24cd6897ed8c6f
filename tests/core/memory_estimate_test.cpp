#include "core/memory_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(MemoryEstimate, TheSystemHasSomeMemoryFree) { EXPECT_GT(freeMemory(), std::int64_t{1} << 20); }

}  // namespace
}  // namespace core
