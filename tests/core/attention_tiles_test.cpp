// Tiles made from q, k and lse against the whole manual map, on random data with grouped key/value heads.
#include "core/attention/attention_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/attention/capture_data.h"
#include "core/attention/manual_attention.h"

namespace core {
namespace {

constexpr int kHeads = 4;
constexpr int kKvHeads = 2;
constexpr std::int64_t kHeadSize = 16;

struct RandomRun {
  model::LayerRecord record;
  attention::ManualStages whole;
  std::shared_ptr<const Capture> capture;
};

/// q and k of a spread that gives weights from nearly 0 to nearly 1.
RandomRun randomRun(std::int64_t T, Window window = {}) {
  at::manual_seed(7);
  RandomRun run;
  run.record.q = at::randn({kHeads, T, kHeadSize}) * 2;
  run.record.k = at::randn({kKvHeads, T, kHeadSize}) * 2;
  run.record.v = at::randn({kKvHeads, T, kHeadSize});
  run.whole =
      attention::manualStages(run.record.q, run.record.k, run.record.v, AttentionMask(T, window), {0, T}, {0, T});
  run.record.lse = run.whole.lse;

  RunFacts facts;
  facts.settings.windows = {window};
  ModelInfo info;
  info.config.layers = 1;
  info.config.heads = kHeads;
  info.config.kvHeads = kKvHeads;
  info.config.headSize = static_cast<int>(kHeadSize);
  run.capture = std::make_shared<const Capture>(std::make_unique<const Capture::Data>(Capture::Data{
      info, facts, std::vector<TokenText>(static_cast<std::size_t>(T)), nullptr, {run.record}, at::zeros({T, 1})}));
  return run;
}

float worst(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).masked_fill(a.eq(b), 0).abs().max().item<float>();  // equal infinities differ by nothing
}

TEST(ManualAttention, StagesEqualTheFormulaInDoubleLoops) {
  const std::int64_t T = 9;
  const RandomRun run = randomRun(T);
  const auto q = run.record.q.accessor<float, 3>();
  const auto k = run.record.k.accessor<float, 3>();
  const auto v = run.record.v.accessor<float, 3>();
  for (int h = 0; h < kHeads; ++h) {
    const int kv = h / 2;
    for (std::int64_t i = 0; i < T; ++i) {
      std::vector<double> scores(static_cast<std::size_t>(T));
      double sum = 0;
      for (std::int64_t j = 0; j < T; ++j) {
        double dot = 0;
        for (std::int64_t d = 0; d < kHeadSize; ++d)
          dot += static_cast<double>(q[h][i][d]) * static_cast<double>(k[kv][j][d]);
        scores[static_cast<std::size_t>(j)] = dot / 4;  // sqrt(16)
        if (i - j >= 0) sum += std::exp(dot / 4);
        EXPECT_NEAR(run.whole.scores[h][i][j].item<double>(), dot / 4, 1e-5);
      }
      EXPECT_NEAR(run.whole.lse[h][i].item<double>(), std::log(sum), 1e-5);
      for (std::int64_t j = 0; j < T; ++j) {
        const double weight = i - j >= 0 ? std::exp(scores[static_cast<std::size_t>(j)]) / sum : 0;
        EXPECT_NEAR(run.whole.weights[h][i][j].item<double>(), weight, 1e-6);
        if (i - j < 0) {
          EXPECT_EQ(run.whole.masked[h][i][j].item<float>(), -std::numeric_limits<float>::infinity());
        }
      }
      for (std::int64_t d = 0; d < kHeadSize; ++d) {
        double y = 0;
        for (std::int64_t j = 0; j <= i; ++j)
          y += std::exp(scores[static_cast<std::size_t>(j)]) / sum * static_cast<double>(v[kv][j][d]);
        EXPECT_NEAR(run.whole.output[h][i][d].item<double>(), y, 1e-5);
      }
    }
  }
}

TEST(ManualAttention, BlocksOfRowsGiveTheWholesResult) {
  const std::int64_t T = 3000;  // (H, T, T) float32 is 144 MB: above kWholeLayerBytes
  ASSERT_GT(kHeads * T * T * 4, attention::kWholeLayerBytes);
  const RandomRun run = randomRun(T);
  int reports = 0;
  const Progress progress([&](double, std::string_view) { return ++reports > 0; });
  const attention::ManualResult result = attention::manualAttention(
      run.record.q, run.record.k, run.record.v, AttentionMask(T), attention::BlockReport(progress, 0, 1));
  EXPECT_GT(reports, 1);
  EXPECT_EQ(result.path.rfind("manual path, blocks of ", 0), 0U) << result.path;
  EXPECT_LE(worst(result.lse, run.whole.lse), 1e-6F * 20);
  EXPECT_LE(worst(result.output, run.whole.output), 1e-5F);
}

TEST(ManualAttention, WindowHidesExactlyTheKeysFurtherBack) {
  const std::int64_t T = 40;
  for (const std::int64_t left : {0, 1, 7, 38, 39, 40}) {
    const RandomRun run = randomRun(T, {left});
    const RandomRun causal = randomRun(T);
    for (std::int64_t i = 0; i < T; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j <= i; ++j) {
        if (i - j <= left) sum += std::exp(run.whole.scores[2][i][j].item<double>());
      }
      EXPECT_NEAR(run.whole.lse[2][i].item<double>(), std::log(sum), 1e-5);
      for (std::int64_t j = 0; j < T; ++j) {
        const double weight = run.whole.weights[2][i][j].item<double>();
        if (j > i || i - j > left) {
          EXPECT_EQ(weight, 0) << left << ": " << i << ", " << j;
        } else {
          EXPECT_NEAR(weight, std::exp(run.whole.scores[2][i][j].item<double>()) / sum, 1e-6);
        }
      }
    }
    EXPECT_EQ(at::equal(run.whole.weights, causal.whole.weights), left >= T - 1);
  }
}

TEST(ManualAttention, BlocksOfRowsLookAtTheKeysOfTheirWindowAlone) {
  const std::int64_t T = 3000;
  const RandomRun run = randomRun(T, {100});
  const Progress progress;
  const attention::ManualResult result = attention::manualAttention(
      run.record.q, run.record.k, run.record.v, AttentionMask(T, {100}), attention::BlockReport(progress, 0, 1));
  EXPECT_LE(worst(result.lse, run.whole.lse), 1e-6F * 20);
  EXPECT_LE(worst(result.output, run.whole.output), 1e-5F);
}

TEST(AttentionTiles, EveryStageOfEveryHeadEqualsTheManualMap) {
  for (const auto& [T, window] : std::vector<std::pair<std::int64_t, Window>>{
           {1, {}}, {2, {}}, {65, {}}, {700, {}}, {65, {0}}, {65, {16}}, {700, {128}}}) {
    const RandomRun run = randomRun(T, window);
    for (int h = 0; h < kHeads; ++h) {
      const HeadId head{Layer(0), Head(h)};
      const Capture::Data& data = run.capture->data();
      const MapRect square{{0, T}, {0, T}};
      EXPECT_LE(worst(attention::tile(data, head, Stage::Weights, square), run.whole.weights[h]), 1e-6F) << T;
      EXPECT_LE(worst(attention::tile(data, head, Stage::Scores, square), run.whole.scores[h]), 1e-5F) << T;
      EXPECT_LE(worst(attention::tile(data, head, Stage::MaskedScores, square), run.whole.masked[h]), 1e-5F) << T;
      EXPECT_LE(worst(attention::tile(data, head, Stage::Output, {{0, T}, {0, kHeadSize}}), run.whole.output[h]),
                1e-5F);
      const MapRect corner{{T / 3, T}, {T / 5, T - T / 4}};
      EXPECT_LE(worst(attention::tile(data, head, Stage::Weights, corner),
                      run.whole.weights[h].slice(0, T / 3, T).slice(1, T / 5, T - T / 4)),
                1e-6F);
    }
  }
}

TEST(AttentionTiles, BlockMaximumOfTheScoresFirstIsTheMaximumOfTheWeights) {
  const std::int64_t T = 700;
  const RandomRun run = randomRun(T);
  const AttentionMap map(run.capture, {Layer(0), Head(3)});
  const MapValues overview = map.overview(Stage::Weights, {{0, T}, {0, T}}, 28, Reduction::Max);
  const at::Tensor expected = run.whole.weights[3].reshape({25, 28, 25, 28}).amax({1, 3});
  ASSERT_EQ(overview.rows, 25);
  for (std::int64_t r = 0; r < 25; ++r) {
    for (std::int64_t c = 0; c < 25; ++c) EXPECT_NEAR(overview.at(r, c), expected[r][c].item<float>(), 1e-6);
  }
}

TEST(AttentionTiles, NaNIsNeverHidden) {
  RandomRun run = randomRun(40);
  run.record.k[0][5].fill_(std::numeric_limits<float>::quiet_NaN());  // queries 5 and later see key 5
  const auto whole =
      attention::manualStages(run.record.q, run.record.k, run.record.v, AttentionMask(40), {0, 40}, {0, 40});
  Capture::Data data{run.capture->data().info, run.capture->facts(), run.capture->data().tokens, nullptr, {run.record},
                     at::zeros({40, 1})};
  data.layers[0].lse = whole.lse;
  const auto capture = std::make_shared<const Capture>(std::make_unique<const Capture::Data>(std::move(data)));
  const AttentionMap map(capture, {Layer(0), Head(0)});
  EXPECT_FALSE(std::isnan(map.rectangle(Stage::Weights, {{4, 5}, {0, 5}}).at(0, 0)));
  EXPECT_TRUE(std::isnan(map.rectangle(Stage::Weights, {{5, 6}, {0, 1}}).at(0, 0)));
  EXPECT_TRUE(std::isnan(map.overview(Stage::Weights, {{0, 40}, {0, 40}}, 8, Reduction::Max).at(1, 0)));
  EXPECT_TRUE(std::isnan(map.overview(Stage::Weights, {{0, 40}, {0, 40}}, 8, Reduction::Mean).at(1, 0)));
}

}  // namespace
}  // namespace core
