// The clock and the memory meter on work whose runs and bytes are known.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/attention/kernels.h"
#include "core/attention/measure.h"
#include "core/attention/memory_meter.h"
#include "core/attention/timed_inputs.h"
#include "core/error.h"
#include "core/speed_memory.h"

namespace core::attention {
namespace {

TEST(Measure, RunsColdThenWarmThenCounts) {
  int calls = 0;
  const Timing timing = measure(
      Device::Cpu, 20, [&](const Progress&) { ++calls; }, Progress());
  EXPECT_EQ(timing.warmUp, 2);
  EXPECT_EQ(timing.samples.size(), 20u);
  EXPECT_EQ(calls, 1 + 2 + 20);
  EXPECT_EQ(timing.clock, "steady clock");
  EXPECT_EQ(timing.note, "");
}

TEST(Measure, MakesFewerRunsOfSlowWork) {
  EXPECT_EQ(runsOf(0.5, 20), 20);
  EXPECT_EQ(runsOf(1, 20), 20);
  EXPECT_EQ(runsOf(2, 20), 10);
  EXPECT_EQ(runsOf(6, 20), 3);
  EXPECT_EQ(runsOf(600, 20), 3);
  EXPECT_EQ(runsOf(600, 2), 2);
}

TEST(Measure, IsCancelledBetweenRuns) {
  int calls = 0;
  const Progress progress([](double, std::string_view stage) { return stage != "run 3 of 20"; });
  try {
    measure(
        Device::Cpu, 20, [&](const Progress&) { ++calls; }, progress);
    FAIL() << "it was not cancelled";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
  }
  EXPECT_EQ(calls, 1 + 2 + 2);
}

TEST(Measure, WorkCanAskInTheMiddleOfARunWhetherToGoOn) {
  int calls = 0;
  const Progress progress([&](double, std::string_view) { return calls < 5; });
  EXPECT_THROW(measure(
                   Device::Cpu, 20,
                   [&](const Progress& inside) {
                     if (++calls == 5) inside.report(0, "in the middle");
                   },
                   progress),
               Error);
  EXPECT_EQ(calls, 5);
}

TEST(Measure, FractionsGrowFrom0To1) {
  std::vector<double> fractions;
  const Progress progress([&](double fraction, std::string_view) {
    fractions.push_back(fraction);
    return true;
  });
  measure(
      Device::Cpu, 5, [](const Progress&) {}, progress);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.front(), 0);
  EXPECT_LT(fractions.back(), 1);
}

// --- memory

at::Tensor bytes(std::int64_t count) { return at::empty({count}, at::kByte); }

TEST(PeakBytes, IsWhatIsHeldAtOnce) {
  EXPECT_EQ(peakBytes(Device::Cpu, [] {}), 0);
  EXPECT_EQ(peakBytes(Device::Cpu, [] { bytes(4000); }), 4000);
  const auto inTurn = [] {
    bytes(4000);
    bytes(3000);
  };
  EXPECT_EQ(peakBytes(Device::Cpu, inTurn), 4000);
  const auto together = [] { const at::Tensor first = bytes(4000), second = bytes(3000); };
  EXPECT_EQ(peakBytes(Device::Cpu, together), 7000);
}

TEST(PeakBytes, CountsResultsAndNotWhatWasThere) {
  at::Tensor result;
  EXPECT_EQ(peakBytes(Device::Cpu, [&] { result = bytes(5000); }), 5000);
  EXPECT_EQ(peakBytes(Device::Cpu, [&] { result.zero_(); }), 0);
}

TEST(PeakBytes, EndsWithAnException) {
  const auto fails = [] {
    const at::Tensor held = bytes(4000);
    throw Error(ErrorKind::Unsupported, "no");
  };
  EXPECT_THROW(peakBytes(Device::Cpu, fails), Error);
  EXPECT_EQ(peakBytes(Device::Cpu, [] { bytes(10); }), 10);
}

AttentionShape shapeOf(std::int64_t T) { return {.H = 2, .Hkv = 2, .T = T, .D = 32, .window = {}}; }

std::int64_t peakOf(Kernel kernel, const AttentionShape& shape) {
  const c10::InferenceMode inference;
  const TimedInputs inputs = randomInputs(shape, Device::Cpu);
  runKernel(kernel, inputs[0]);  // what a kernel keeps for later calls
  return peakBytes(Device::Cpu, [&] { runKernel(kernel, inputs[0]); });
}

TEST(PeakBytes, OfNanoGptsLinesIsTwoStages) {
  for (const std::int64_t T : {512, 1024}) {
    // q k^T and its scaled copy, 2 heads of T x T floats each, nanoGPT's buffer of T x T floats and what it
    // hides, a byte a cell.
    EXPECT_NEAR(static_cast<double>(peakOf(Kernel::NanoGptLines, shapeOf(T))),
                static_cast<double>(2 * 2 * T * T * 4 + 5 * T * T), 64)  // the factor is a tensor of its own
        << T;
  }
}

TEST(PeakBytes, OfFlashGrowsLikeTheLength) {
  const std::int64_t at1024 = peakOf(Kernel::Flash, shapeOf(1024));
  const std::int64_t at4096 = peakOf(Kernel::Flash, shapeOf(4096));
  EXPECT_GE(at1024, 2 * 1024 * 32 * 4);  // the output
  EXPECT_LE(at4096, 4.4 * static_cast<double>(at1024));
}

// What decides whether a kernel runs at all: never less than it takes, and not much more.
TEST(KernelBytes, BoundWhatIsMeasured) {
  for (const Kernel kernel : {Kernel::Manual, Kernel::NanoGptLines, Kernel::Flash, Kernel::Math}) {
    for (const DType type : {DType::Float32, DType::BFloat16}) {
      for (const std::int64_t Hkv : {4, 1}) {
        const AttentionShape shape{.H = 4, .Hkv = Hkv, .T = 1024, .D = 32, .type = type, .window = {}};
        const std::int64_t inputs = (4 + 2 * Hkv) * 1024 * 32 * (type == DType::Float32 ? 4 : 2);
        const std::int64_t taken = inputs + peakOf(kernel, shape);
        const std::int64_t told = kernelBytes(kernel, Device::Cpu, shape);
        const auto name = testing::Message() << word(kernel) << " " << word(type) << " Hkv " << Hkv;
        EXPECT_LE(taken, told) << name;
        const bool quadratic = kernel == Kernel::NanoGptLines || kernel == Kernel::Math;
        EXPECT_GE(static_cast<double>(taken), quadratic ? 0.7 * static_cast<double>(told) : 0) << name;
      }
    }
  }
}

}  // namespace
}  // namespace core::attention
