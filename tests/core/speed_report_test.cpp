// What is said of samples and rows: numbers worked out by hand or by numpy.
#include "core/speed_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/number_text.h"
#include "core/speed_crossing.h"
#include "core/speed_measure.h"
#include "core/speed_memory.h"

namespace core {
namespace {

using ::testing::HasSubstr;

/// A row of that median, as if it had run.
SpeedRow row(Kernel kernel, std::int64_t T, double median) {
  SpeedRow made{.kernel = kernel, .shape = {.T = T, .window = {}}, .windows = {Window{}}};
  made.timing.samples = {median};
  return made;
}

// numpy.percentile(samples, [25, 50, 75]) of numpy 2.3, default method "linear".
TEST(Quartiles, AreNumpys) {
  const auto expect = [](std::vector<double> samples, double q1, double median, double q3) {
    const Quartiles found = quartiles(std::move(samples));
    EXPECT_DOUBLE_EQ(found.q1, q1);
    EXPECT_DOUBLE_EQ(found.median, median);
    EXPECT_DOUBLE_EQ(found.q3, q3);
  };
  expect({2}, 2, 2, 2);
  expect({20, 10}, 12.5, 15, 17.5);
  expect({7, 1, 3, 5}, 2.5, 4, 5.5);
  expect({5, 1, 4, 2, 3}, 2, 3, 4);
  expect({3, 1, 4, 1, 5, 9, 2, 6}, 1.75, 3.5, 5.25);
}

TEST(SpeedReport, RateIsOfVisibleCells) {
  // Windows of one token back: rows of 1, 2, 2, 2 keys, 7 cells; 2 heads of size 3; 4 operations a cell and number.
  SpeedRow measured = row(Kernel::Flash, 4, 0.5);
  measured.flop = AttentionShape{.H = 2, .Hkv = 1, .T = 4, .D = 3, .window = {1}}.flop();
  EXPECT_EQ(measured.flop, 4 * 2 * 3 * 7);
  EXPECT_DOUBLE_EQ(measured.rate().value(), 2 * 4 * 2 * 3 * 7);
  measured.scope = SpeedScope::Forward;
  EXPECT_FALSE(measured.rate());
}

TEST(SpeedReport, RatioIsToTheManualRowOfTheSameInputs) {
  SpeedReport report;
  report.rows = {row(Kernel::Manual, 64, 3), row(Kernel::Flash, 64, 2), row(Kernel::Manual, 128, 5),
                 row(Kernel::Flash, 128, 10), row(Kernel::Flash, 256, 1)};
  EXPECT_DOUBLE_EQ(timesManual(report, report.rows[1]).value(), 1.5);
  EXPECT_DOUBLE_EQ(timesManual(report, report.rows[3]).value(), 0.5);
  EXPECT_FALSE(timesManual(report, report.rows[4]));
  report.rows[0].refusal = "It did not run.";
  EXPECT_FALSE(timesManual(report, report.rows[1]));
}

TEST(SpeedReport, SlowerIsSaidAsSlower) {
  EXPECT_EQ(speedWords(3.2), "3.20x faster");
  EXPECT_EQ(speedWords(0.5), "2.00x slower");
  EXPECT_EQ(speedWords(1.001), "as fast");
}

TEST(Crossing, LiesBetweenSlowerAndFaster) {
  SpeedReport report;
  // Half as fast at 128, twice as fast at 512: as fast at 256, halfway by the logarithms.
  for (const auto& [T, flash] : {std::pair(32, 4.0), {128, 2.0}, {512, 0.5}, {2048, 0.1}}) {
    report.rows.push_back(row(Kernel::Manual, T, 1));
    report.rows.push_back(row(Kernel::Flash, T, flash));
  }
  const auto found = crossings(report);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].slowerAt, 128);
  EXPECT_EQ(found[0].fasterFrom, 512);
  EXPECT_NEAR(found[0].tokens.value(), 256, 1e-9);
  EXPECT_THAT(found[0].sentence, HasSubstr("near T = 256"));
}

TEST(Crossing, MayNotBeThere) {
  SpeedReport report;
  for (const std::int64_t T : {64, 128}) {
    report.rows.push_back(row(Kernel::Manual, T, 1));
    report.rows.push_back(row(Kernel::Flash, T, 0.5));
    for (const Kernel kernel : {Kernel::Manual, Kernel::Flash}) {
      report.rows.push_back(row(kernel, T, kernel == Kernel::Manual ? 1 : 3));
      report.rows.back().shape.type = DType::BFloat16;
    }
  }
  const auto found = crossings(report);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].fasterFrom, 64);
  EXPECT_FALSE(found[0].slowerAt || found[0].tokens);
  EXPECT_EQ(found[1].slowerAt, 128);
  EXPECT_FALSE(found[1].fasterFrom || found[1].tokens);
  EXPECT_THAT(found[1].sentence, HasSubstr("not faster"));
}

TEST(Crossing, NeedsTwoLengths) {
  SpeedReport report;
  report.rows = {row(Kernel::Manual, 64, 1), row(Kernel::Flash, 64, 2), row(Kernel::Flash, 128, 2)};
  EXPECT_TRUE(crossings(report).empty());
}

TEST(SpeedRow, AMaskOfAllCellsIsFlagged) {
  SpeedRow measured = row(Kernel::Math, 100, 1);
  EXPECT_FALSE(measured.wholeMask());
  measured.maskBytes = 40000;
  EXPECT_TRUE(measured.wholeMask());
  // The small masks of flash's blocks may take more than a byte for each of T x T cells when T is small.
  SpeedRow flash = row(Kernel::Flash, 100, 1);
  flash.maskBytes = 40000;
  EXPECT_FALSE(flash.wholeMask());
}

TEST(SpeedMemory, SaysHowMuchIsMissing) {
  EXPECT_FALSE(overBudget(8'000'000'000, 8'000'000'000));
  EXPECT_EQ(overBudget(51'540'000'000, 8'000'000'000).value(), "It needs 51.5 GB, and the budget is 8.00 GB.");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1000), "1.00 kB");
  EXPECT_EQ(bytesText(999'960), "1.00 MB");
  EXPECT_EQ(bytesText(640'000), "640 kB");
}

TEST(Sweep, GoesByTypeWindowAndLength) {
  const auto shapes = shapesOf({.base = {.H = 2, .window = {}},
                                .first = 64,
                                .last = 300,
                                .windows = {Window{32}, Window{}},
                                .types = {DType::Float32, DType::BFloat16}});
  ASSERT_EQ(shapes.size(), 12u);
  EXPECT_EQ(shapes[0], (AttentionShape{.H = 2, .T = 64, .window = {32}}));
  EXPECT_EQ(shapes[2], (AttentionShape{.H = 2, .T = 256, .window = {32}}));
  EXPECT_EQ(shapes[3], (AttentionShape{.H = 2, .T = 64, .window = {}}));
  EXPECT_EQ(shapes[6], (AttentionShape{.H = 2, .T = 64, .type = DType::BFloat16, .window = {32}}));
}

}  // namespace
}  // namespace core
