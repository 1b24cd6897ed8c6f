// Tiles made from q, k and lse against whole maps of plain LibTorch lines, on random data with grouped key/value heads.
#include "core/attention/attention_tiles.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "core/attention/capture_data.h"
#include "core/attention_map.h"

namespace core {
namespace {

constexpr int kHeads = 4;
constexpr std::int64_t kHeadSize = 16;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kStages = 5;

struct Shape {
  std::int64_t T = 1;
  int kvHeads = 2;
  MaskKind kind = MaskKind::Causal;
  std::optional<std::int64_t> window = {};  ///< i - j <= window, or |i - j| <= window
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << "T " << shape.T << ", " << shape.kvHeads << " key/value heads, "
             << (shape.kind == MaskKind::Causal ? "causal" : "bidirectional") << ", window "
             << shape.window.value_or(-1);
}

/// (T, T), the rule of the mask word by word.
at::Tensor visibleCells(const Shape& shape) {
  const at::Tensor i = at::arange(shape.T).unsqueeze(1);
  const at::Tensor j = at::arange(shape.T).unsqueeze(0);
  const at::Tensor distance = i - j;
  const std::int64_t window = shape.window.value_or(shape.T);
  return shape.kind == MaskKind::Causal ? (distance >= 0).logical_and(distance <= window) : distance.abs() <= window;
}

/// A capture of one layer, and its stages whole: (H, T, T) or (H, T, D).
struct WholeRun {
  Shape shape;
  at::Tensor visible;
  std::array<at::Tensor, kStages> whole;
  std::shared_ptr<const Capture> capture;

  WholeRun(const Shape& s, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)
      : shape(s), visible(visibleCells(s)) {
    const std::int64_t group = kHeads / s.kvHeads;
    const at::Tensor keys = k.repeat_interleave(group, 0);
    const at::Tensor scores = at::matmul(q, keys.transpose(1, 2)) / std::sqrt(static_cast<double>(kHeadSize));
    const at::Tensor masked = scores.masked_fill(visible.logical_not(), -kInfinity);
    const at::Tensor weights = at::softmax(masked, -1);
    const at::Tensor output = at::matmul(weights, v.repeat_interleave(group, 0));
    const at::Tensor together = output.transpose(0, 1).reshape({1, s.T, -1}).expand({kHeads, -1, -1});
    whole = {scores, masked, weights, output, together};

    RunFacts facts;
    facts.settings.windows = {s.window ? Window{*s.window} : Window{}};
    facts.settings.mask = s.kind;
    ModelInfo info;
    info.config.layers = 1;
    info.config.heads = kHeads;
    info.config.kvHeads = s.kvHeads;
    info.config.headSize = static_cast<int>(kHeadSize);
    capture = std::make_shared<const Capture>(
        std::make_unique<const Capture::Data>(Capture::Data{info,
                                                            facts,
                                                            std::vector<TokenText>(static_cast<std::size_t>(s.T)),
                                                            nullptr,
                                                            {{q, k, v, at::logsumexp(masked, -1)}},
                                                            at::zeros({s.T, 1})}));
  }

  const at::Tensor& of(Stage stage) const { return whole[static_cast<std::size_t>(stage)]; }
  AttentionMap map(int head) const { return {capture, {Layer(0), Head(head)}}; }
  /// (rows, columns), true for what counts in a reduction.
  at::Tensor counted(Stage stage) const {
    if (stage == Stage::MaskedScores || stage == Stage::Weights) return visible;
    return at::ones_like(of(stage)[0], at::kBool);
  }
};

/// Of a spread that gives weights from nearly 0 to nearly 1.
WholeRun randomRun(const Shape& shape) {
  at::manual_seed(7);
  const at::Tensor q = at::randn({kHeads, shape.T, kHeadSize}) * 1.5;
  const at::Tensor k = at::randn({shape.kvHeads, shape.T, kHeadSize}) * 1.5;
  return {shape, q, k, at::randn({shape.kvHeads, shape.T, kHeadSize})};
}

constexpr std::array kAllStages{Stage::Scores, Stage::MaskedScores, Stage::Weights, Stage::Output, Stage::Reassembled};

std::vector<Shape> allMasks(std::int64_t T, int kvHeads) {
  std::vector<Shape> shapes;
  for (const MaskKind kind : {MaskKind::Causal, MaskKind::Bidirectional}) {
    for (const std::optional<std::int64_t> window : {std::optional<std::int64_t>(), {0}, {1}, {7}, {128}})
      shapes.push_back({T, kvHeads, kind, window});
  }
  return shapes;
}

at::Tensor tensorOf(const MapValues& values) {
  return at::tensor(values.values, at::kFloat).view({values.rows, values.columns});
}

float worst(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return kInfinity;
  const at::Tensor difference = (a - b).abs().masked_fill(a.eq(b), 0);  // equal infinities differ by nothing
  return difference.numel() == 0 ? 0 : difference.max().item<float>();  // NaN where there is one
}

/// 1e-6 for weights, and relative to their range for the others.
float tolerance(const WholeRun& run, Stage stage) {
  if (stage == Stage::Weights) return 1e-6F;
  const at::Tensor& values = run.of(stage);
  const at::Tensor finite = values.masked_select(values.isfinite());
  return 1e-6F * std::max(1.0F, (finite.max() - finite.min()).item<float>());
}

TEST(AttentionTiles, EveryStageUnderEveryMaskEqualsTheWholeMap) {
  for (const std::int64_t T : {1, 2, 65, 700}) {
    for (const int kvHeads : {4, 2, 1}) {
      for (const Shape& shape : allMasks(T, kvHeads)) {
        const WholeRun run = randomRun(shape);
        for (const int head : {1, 2}) {
          for (const Stage stage : kAllStages) {
            SCOPED_TRACE(testing::Message() << shape << ", head " << head << ", stage " << static_cast<int>(stage));
            const AttentionMap map = run.map(head);
            const MapRect all = map.extent(stage);
            const at::Tensor expected = run.of(stage)[head];
            const at::Tensor found = tensorOf(map.rectangle(stage, all));
            ASSERT_LE(worst(found, expected), tolerance(run, stage));
            if (stage == Stage::Weights) {
              ASSERT_TRUE(found.masked_select(run.visible.logical_not()).eq(0).all().item<bool>());
            }
            const MapRect part{{T / 3, T}, {all.columns.end / 5, all.columns.end - all.columns.end / 4}};
            ASSERT_LE(
                worst(tensorOf(map.rectangle(stage, part)),
                      expected.slice(0, part.rows.begin, part.rows.end).slice(1, part.columns.begin, part.columns.end)),
                tolerance(run, stage));
          }
        }
      }
    }
  }
}

/// Blocks of block x block cells as dimensions of their own, (R, C, block * block), filled up with `filling`.
at::Tensor inBlocks(const at::Tensor& values, std::int64_t block, double filling) {
  const auto missing = [block](std::int64_t size) { return (block - size % block) % block; };
  const at::Tensor padded =
      at::constant_pad_nd(values, {0, missing(values.size(1)), 0, missing(values.size(0))}, filling);
  return padded.unflatten(1, {-1, block}).unflatten(0, {-1, block}).permute({0, 2, 1, 3}).flatten(2);
}

at::Tensor reduced(const at::Tensor& values, const at::Tensor& counted, Stage stage, std::int64_t block,
                   Reduction reduction) {
  const double nothing = stage == Stage::Weights ? 0 : -INFINITY;
  const at::Tensor counts = inBlocks(counted.to(at::kDouble), block, 0).sum(-1);
  if (reduction == Reduction::Max) {
    const at::Tensor most = inBlocks(values.masked_fill(counted.logical_not(), -kInfinity), block, -INFINITY).amax(-1);
    return most.masked_fill(counts.eq(0), nothing);
  }
  const at::Tensor sums = inBlocks(values.to(at::kDouble).masked_fill(counted.logical_not(), 0), block, 0).sum(-1);
  return (sums / counts).masked_fill(counts.eq(0), nothing).to(at::kFloat);
}

void expectOverviews(const WholeRun& run, int head, const std::vector<std::int64_t>& blocks) {
  for (const Stage stage : kAllStages) {
    const AttentionMap map = run.map(head);
    const MapRect all = map.extent(stage);
    const at::Tensor whole = run.of(stage)[head];
    const MapRect part{{run.shape.T / 7, run.shape.T - run.shape.T / 9}, {all.columns.end / 5, all.columns.end}};
    for (const MapRect& rect : {all, part}) {
      const auto cut = [&](const at::Tensor& cells) {
        return cells.slice(0, rect.rows.begin, rect.rows.end).slice(1, rect.columns.begin, rect.columns.end);
      };
      for (const std::int64_t block : blocks) {
        for (const Reduction reduction : {Reduction::Max, Reduction::Mean}) {
          SCOPED_TRACE(testing::Message() << run.shape << ", stage " << static_cast<int>(stage) << ", block " << block
                                          << (reduction == Reduction::Max ? " max" : " mean"));
          ASSERT_LE(worst(tensorOf(map.overview(stage, rect, block, reduction)),
                          reduced(cut(whole), cut(run.counted(stage)), stage, block, reduction)),
                    2 * tolerance(run, stage));
        }
      }
    }
  }
}

TEST(AttentionTiles, OverviewsAreTheReductionOfTheWholeMap) {
  for (const Shape& shape : allMasks(700, 2)) expectOverviews(randomRun(shape), 3, {2, 3, 16, 36, 64});
}

TEST(AttentionTiles, BlocksLargerThanATileAreReducedToo) {
  for (const Shape& shape : {Shape{1300, 1}, Shape{1300, 1, MaskKind::Bidirectional, 128}})
    expectOverviews(randomRun(shape), 2, {300, 600, 1299, 1400});
}

TEST(AttentionTiles, RangeIsThatOfTheCellsThatCount) {
  for (const Shape& shape : allMasks(700, 2)) {
    const WholeRun run = randomRun(shape);
    for (const Stage stage : kAllStages) {
      SCOPED_TRACE(testing::Message() << shape << ", stage " << static_cast<int>(stage));
      const at::Tensor values = run.of(stage)[1].masked_select(run.counted(stage));
      const ValueRange range = run.map(1).range(stage);
      EXPECT_NEAR(range.low, values.min().item<float>(), tolerance(run, stage));
      EXPECT_NEAR(range.high, values.max().item<float>(), tolerance(run, stage));
    }
  }
}

/// A run whose key 5 of head 0 is NaN: queries 5 and later see it.
WholeRun runWithNaN(std::int64_t T) {
  at::manual_seed(7);
  const at::Tensor q = at::randn({kHeads, T, kHeadSize});
  const at::Tensor k = at::randn({2, T, kHeadSize});
  k[0][5].fill_(kNaN);
  return {{T}, q, k, at::randn({2, T, kHeadSize})};
}

TEST(AttentionTiles, NaNIsNeverHidden) {
  const WholeRun run = runWithNaN(40);
  const AttentionMap map = run.map(0);
  EXPECT_FALSE(std::isnan(map.rectangle(Stage::Weights, {{4, 5}, {0, 5}}).at(0, 0)));
  EXPECT_TRUE(std::isnan(map.rectangle(Stage::Weights, {{5, 6}, {0, 1}}).at(0, 0)));
  for (const Reduction reduction : {Reduction::Max, Reduction::Mean}) {
    const MapValues overview = map.overview(Stage::Weights, {{0, 40}, {0, 40}}, 8, reduction);
    for (std::int64_t row = 0; row < 5; ++row) {
      for (std::int64_t column = 0; column < 5; ++column) {
        const float value = overview.at(row, column);
        if (column > row) {
          EXPECT_EQ(value, 0) << "the mask hides the block " << row << ", " << column;
        } else {
          EXPECT_TRUE(std::isnan(value)) << row << ", " << column;
        }
      }
    }
  }
}

TEST(AttentionTiles, RangeLeavesOutWhatIsNotFinite) {
  const ValueRange range = runWithNaN(40).map(0).range(Stage::Weights);
  const at::Tensor firstRows = runWithNaN(40).of(Stage::Weights)[0].slice(0, 0, 5);  // the others are NaN
  EXPECT_EQ(range.high, 1);
  EXPECT_NEAR(range.low, firstRows.masked_select(firstRows.gt(0)).min().item<float>(), 1e-6);
}

TEST(AttentionTiles, OneNaNInABlockOfSeveralTilesWins) {
  const WholeRun run = runWithNaN(1300);
  const AttentionMap map = run.map(0);
  EXPECT_TRUE(std::isnan(map.overview(Stage::Weights, {{0, 1300}, {0, 1300}}, 1300, Reduction::Max).at(0, 0)));
  EXPECT_TRUE(std::isnan(map.overview(Stage::Scores, {{0, 1300}, {0, 1300}}, 1300, Reduction::Max).at(0, 0)));
}

TEST(AttentionTiles, CancelIsHeardBetweenStripsOfALongMap) {
  const std::int64_t T = 12000;
  RunFacts facts;
  facts.settings.windows = {Window{}};
  ModelInfo info;
  info.config.layers = info.config.heads = info.config.kvHeads = 1;
  info.config.headSize = 4;
  const at::Tensor any = at::randn({1, T, 4});
  const auto capture = std::make_shared<const Capture>(std::make_unique<const Capture::Data>(Capture::Data{
      info, facts, std::vector<TokenText>(T), nullptr, {{any, any, any, at::zeros({1, T})}}, at::zeros({T, 1})}));
  const AttentionMap map(capture, {Layer(0), Head(0)});
  for (const auto& work : std::vector<std::function<void(const Progress&)>>{
           [&](const Progress& p) {
             map.overview(Stage::Weights, {{0, T}, {0, T}}, 64, Reduction::Max, p);
           },
           [&](const Progress& p) { map.range(Stage::Scores, p); }}) {
    int reports = 0;
    try {
      work(Progress([&](double, std::string_view) { return ++reports < 2; }));
      FAIL() << "it was not cancelled";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::Cancelled);
    }
    EXPECT_EQ(reports, 2);
  }
}

}  // namespace
}  // namespace core
