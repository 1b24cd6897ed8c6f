// Reports of real runs: which rows there are and what they say, never how long something took.
#include "core/speed_measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/device.h"
#include "core/path_check.h"
#include "core/speed_model.h"
#include "tests/support/files.h"

namespace core {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;
const SpeedOptions kQuick{.runs = 3, .memoryBudget = kPlenty};

std::vector<std::pair<Kernel, std::int64_t>> kernelsAndLengths(const SpeedReport& report) {
  std::vector<std::pair<Kernel, std::int64_t>> found;
  for (const SpeedRow& row : report.rows) found.emplace_back(row.kernel, row.shape.T);
  return found;
}

TEST(TimeShapes, HasARowForEachKernelOfTheCpu) {
  const AttentionShape shape{.B = 2, .H = 4, .Hkv = 2, .T = 96, .D = 16, .window = {20}};
  const SpeedReport report = timeShapes({shape}, kQuick, Progress());
  EXPECT_THAT(kernelsAndLengths(report), ElementsAre(std::pair(Kernel::Manual, 96), std::pair(Kernel::NanoGptLines, 96),
                                                     std::pair(Kernel::Flash, 96), std::pair(Kernel::Math, 96)));
  for (const SpeedRow& row : report.rows) {
    EXPECT_TRUE(row.ran()) << row.refusal;
    EXPECT_EQ(row.shape, shape);
    EXPECT_EQ(row.kernelName, kernelName(row.kernel, Device::Cpu));
    EXPECT_EQ(row.timing.samples.size(), 3u);
    EXPECT_GT(row.peakBytes, 0);
    EXPECT_EQ(row.flop, shape.flop());
    EXPECT_EQ(row.difference.has_value(), row.kernel != Kernel::Manual);
    if (row.difference) {
      EXPECT_LT(row.difference->absolute, 1e-5) << word(row.kernel);
      EXPECT_LT(row.difference->relative, 1e-5) << word(row.kernel);
    }
  }
  EXPECT_FALSE(report.rows[0].wholeMask());
  EXPECT_TRUE(report.rows[1].wholeMask());
  EXPECT_THAT(report.rows[1].outside, HasSubstr("buffer"));
  EXPECT_GE(report.machine.threads, 1);
  EXPECT_FALSE(report.machine.processor.empty());
}

TEST(TimeShapes, SaysWhyAKernelDidNotRun) {
  SpeedOptions options = kQuick;
  options.kernels = {Kernel::Cudnn, Kernel::Flash, Kernel::Flash};
  const SpeedReport report = timeShapes({{.T = 32, .window = {}}}, options, Progress());
  ASSERT_EQ(report.rows.size(), 2u);  // once each, in the enum's order
  EXPECT_TRUE(report.rows[0].ran());
  EXPECT_EQ(report.rows[1].kernel, Kernel::Cudnn);
  EXPECT_THAT(report.rows[1].refusal, HasSubstr("CUDA"));
  EXPECT_THAT(report.rows[1].timing.samples, IsEmpty());
}

TEST(TimeShapes, SaysWhyThereIsNoGpu) {
  const auto reason = whyNoCuda();
  if (!reason) GTEST_SKIP() << "there is a GPU";
  SpeedOptions options = kQuick;
  options.device = Device::Cuda;
  const SpeedReport report = timeShapes({{.T = 32, .window = {}}}, options, Progress());
  EXPECT_EQ(report.rows.size(), 6u);
  for (const SpeedRow& row : report.rows) EXPECT_EQ(row.refusal, *reason);
}

TEST(TimeShapes, StopsAKernelAtTheBudgetAndNotTheOthers) {
  SpeedOptions options = kQuick;
  options.kernels = {Kernel::Flash, Kernel::NanoGptLines};
  // Two stages of 8 heads of T x T floats: 4 MiB at 256, 16 MiB at 512.
  options.memoryBudget = std::int64_t{12} << 20;
  const auto shapes = shapesOf({.base = {.H = 8, .Hkv = 8, .D = 8, .window = {}}, .first = 128, .last = 2048});
  const SpeedReport report = timeShapes(shapes, options, Progress());
  std::vector<std::int64_t> flash, lines;
  for (const SpeedRow& row : report.rows) (row.kernel == Kernel::Flash ? flash : lines).push_back(row.shape.T);
  EXPECT_THAT(flash, ElementsAre(128, 256, 512, 1024, 2048));
  EXPECT_THAT(lines, ElementsAre(128, 256, 512));
  const auto refused = std::find_if(report.rows.begin(), report.rows.end(), [](const auto& row) { return !row.ran(); });
  ASSERT_NE(refused, report.rows.end());
  EXPECT_EQ(refused->shape.T, 512);
  EXPECT_THAT(refused->refusal, AllOf(HasSubstr("needs 18"), HasSubstr("budget is 12.6 MB")));
}

TEST(TimeShapes, RefusesShapesThatCannotBe) {
  const auto kindOf = [](const AttentionShape& shape) {
    try {
      timeShapes({shape}, kQuick, Progress());
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::Io;
  };
  EXPECT_EQ(kindOf({.H = 3, .Hkv = 2, .window = {}}), ErrorKind::Mismatch);
  EXPECT_EQ(kindOf({.B = 0, .window = {}}), ErrorKind::Mismatch);
  EXPECT_EQ(kindOf({.D = -1, .window = {}}), ErrorKind::Mismatch);
  EXPECT_EQ(kindOf({.T = std::int64_t{1} << 40, .window = {}}), ErrorKind::TooLarge);
}

TEST(TimeShapes, IsCancelled) {
  const Progress progress([](double fraction, std::string_view) { return fraction < 0.5; });
  EXPECT_THROW(timeShapes({{.T = 32, .window = {}}, {.T = 64, .window = {}}}, kQuick, progress), Error);
}

// --- a model's own run

class ModelSpeedTest : public testing::Test {
 protected:
  static const Session& session() {
    static const auto session = Session::open(support::repository("models/shakespeare-char"), {}, Progress());
    return *session;
  }
  static RunRequest request() {
    RunRequest request;
    for (int i = 0; i < 40; ++i) request.tokens.push_back(i * 7 % 65);
    return request;
  }
};

TEST_F(ModelSpeedTest, TimesAttentionOfAllLayersAndTheForwardPass) {
  SpeedOptions options = kQuick;
  options.kernels = {Kernel::Manual, Kernel::Flash};
  RunRequest windows = request();
  windows.overrides.windows = std::vector{Window{4}, Window{}, Window{8}, Window{}, Window{0}, Window{}};
  const SpeedReport report = timeModel(session(), {.request = windows}, options, Progress());
  ASSERT_EQ(report.rows.size(), 4u);
  for (const SpeedRow& row : report.rows) {
    EXPECT_TRUE(row.ran()) << row.refusal;
    EXPECT_EQ(row.windows, *windows.overrides.windows);
    EXPECT_EQ(row.shape.H, 6);
    EXPECT_EQ(row.shape.T, 40);
    EXPECT_EQ(row.shape.D, 32);
    // Cells by windows of 4, 8 and 0 back, and three times all: rows of min(i, w) + 1 keys.
    EXPECT_EQ(row.flop, 4.0 * 6 * 32 * ((15 + 35 * 5) + (45 + 31 * 9) + 40 + 3 * 820));
  }
  EXPECT_EQ(report.rows[0].scope, SpeedScope::Attention);
  EXPECT_EQ(report.rows[1].kernel, Kernel::Flash);
  EXPECT_LT(report.rows[1].difference.value().absolute, 1e-5);
  EXPECT_FALSE(report.rows[1].attentionShare);
  EXPECT_EQ(report.rows[2].scope, SpeedScope::Forward);
  EXPECT_GT(report.rows[2].attentionShare.value(), 0);
  EXPECT_EQ(report.rows[3].kernel, Kernel::Flash);
  EXPECT_LT(report.rows[3].difference.value().relative, 1e-4);
}

TEST_F(ModelSpeedTest, TimesOneLayer) {
  SpeedOptions options = kQuick;
  options.kernels = {Kernel::Flash};
  const SpeedReport report =
      timeModel(session(), {.request = request(), .types = {DType::BFloat16}, .layer = Layer(2)}, options, Progress());
  ASSERT_EQ(report.rows.size(), 2u);
  EXPECT_EQ(report.rows[0].windows.size(), 1u);
  EXPECT_EQ(report.rows[0].shape.type, DType::BFloat16);
  EXPECT_EQ(report.rows[1].scope, SpeedScope::Forward);
  EXPECT_EQ(report.rows[1].windows.size(), 6u);
  EXPECT_GT(report.rows[1].attentionShare.value(), 0);
  EXPECT_THROW(timeModel(session(), {.request = request(), .layer = Layer(6)}, options, Progress()), Error);
}

// --- manual against flash

TEST_F(ModelSpeedTest, PathsAgreeInEveryLayer) {
  const auto capture = session().run(request(), Progress());
  for (const DType type : {DType::Float32, DType::BFloat16, DType::Float16}) {
    const PathCheck check = checkPaths(*capture, type, Device::Cpu, Progress());
    EXPECT_TRUE(check.passed()) << word(type);
    ASSERT_EQ(check.layers.size(), 6u);
    for (const LayerCheck& layer : check.layers) {
      EXPECT_GT(layer.output.largest, 0);
      EXPECT_GE(layer.output.tolerance, type == DType::Float32 ? 1e-5 : 2e-2);
      EXPECT_TRUE(layer.lse.has_value());
      if (type == DType::Float32) continue;
      EXPECT_GT(layer.output.difference, 0);  // it was computed in that type
    }
  }
}

TEST(PathCheck, FailsAboveTheToleranceAndForNaN) {
  const auto check = [](double output, double lse) {
    LayerCheck layer{.output = {.difference = output, .tolerance = 1e-5}};
    layer.lse = Agreement{.difference = lse, .tolerance = 1e-5};
    return PathCheck{.layers = {LayerCheck{.output = {.tolerance = 1e-5}}, layer}}.passed();
  };
  EXPECT_TRUE(check(1e-5, 0));
  EXPECT_FALSE(check(1.1e-5, 0));
  EXPECT_FALSE(check(0, 2e-5));
  EXPECT_FALSE(check(std::nan(""), 0));
}

}  // namespace
}  // namespace core
