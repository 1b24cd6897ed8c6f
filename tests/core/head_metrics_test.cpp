// Numbers of a head beside their definitions: the check matrix, closed forms, and numpy on real maps.
#include "core/head_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "core/attention_map.h"
#include "core/head_metric_table.h"
#include "core/session.h"
#include "tests/core/stored_map.h"
#include "tests/support/files.h"
#include "tests/support/python.h"

namespace core {
namespace {

using support::StoredMap;

/// Every query of three looks at all that it sees alike; the check matrix U of the metrics' definition.
MapValues uniform() { return {3, 3, {1, 0, 0, 1.f / 2, 1.f / 2, 0, 1.f / 3, 1.f / 3, 1.f / 3}}; }

HeadMetrics metricsOf(const MapValues& map, Window window = {}, MaskKind kind = MaskKind::Causal) {
  return headMetrics(std::make_shared<StoredMap>("map", map, AttentionMask(map.rows, window, kind)));
}

TEST(HeadMetrics, UniformAttentionHasTheKnownValues) {
  const HeadMetrics metrics = metricsOf(uniform());
  EXPECT_NEAR(metrics.entropy, (0 + 0.693147 + 1.098612) / 3, 1e-6);
  ASSERT_TRUE(metrics.normalisedEntropy);
  EXPECT_NEAR(*metrics.normalisedEntropy, 1, 1e-6) << "rows of one key are left out";
  EXPECT_NEAR(metrics.effectiveKeys, (1 + 2 + 3) / 3.0, 1e-6);
  EXPECT_NEAR(metrics.confidence, (1 + 1.0 / 2 + 1.0 / 3) / 3, 1e-6);
  EXPECT_NEAR(metrics.meanDistance, 0.5, 1e-6);
  EXPECT_NEAR(metrics.self, (1 + 1.0 / 2 + 1.0 / 3) / 3, 1e-6);
  EXPECT_NEAR(metrics.firstKey, 0.611111, 1e-6);
  ASSERT_TRUE(metrics.previousToken);
  EXPECT_NEAR(*metrics.previousToken, (1.0 / 2 + 1.0 / 3) / 2, 1e-6);
  EXPECT_FALSE(metrics.windowEdge) << "there is no window";
}

TEST(HeadMetrics, APreviousTokenHeadHasNoEntropyAndDistanceOne) {
  const HeadMetrics metrics = metricsOf({4, 4, {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}});
  EXPECT_EQ(metrics.entropy, 0);
  EXPECT_FALSE(std::signbit(metrics.entropy));
  EXPECT_EQ(metrics.normalisedEntropy, 0);
  EXPECT_EQ(metrics.effectiveKeys, 1);
  EXPECT_EQ(metrics.confidence, 1);
  EXPECT_EQ(metrics.meanDistance, 3.0 / 4);  // the first query can only look at itself
  EXPECT_EQ(metrics.self, 1.0 / 4);
  EXPECT_EQ(metrics.firstKey, 2.0 / 4);
  EXPECT_EQ(metrics.previousToken, 1);
}

TEST(HeadMetrics, AWeightRoundedAboveOneHasNoNegativeEntropy) {
  EXPECT_EQ(metricsOf({1, 1, {std::nextafter(1.f, 2.f)}}).entropy, 0);
}

TEST(HeadMetrics, RectanglesInAnyOrderGiveTheSameAsTheWholeMap) {
  const MapValues map = support::causalWeights(90, 3);
  HeadMetricsSum sum(AttentionMask(90), 90);
  const StoredMap source("map", map, AttentionMask(90));
  for (const MapRect rect : {MapRect{{40, 90}, {31, 90}}, MapRect{{0, 40}, {0, 90}}, MapRect{{40, 90}, {0, 31}}})
    sum.add(rect, source.rectangle(Stage::Weights, rect));
  const HeadMetrics parts = sum.result();
  const HeadMetrics whole = metricsOf(map);
  for (const HeadMetric& metric : kHeadMetrics) {
    ASSERT_EQ(metric.of(parts).has_value(), metric.of(whole).has_value()) << metric.name;
    EXPECT_NEAR(metric.of(parts).value_or(0), metric.of(whole).value_or(0), 1e-6) << metric.name;
  }
}

TEST(HeadMetrics, WhatIsMaskedIsNotRead) {
  MapValues map = uniform();
  for (const std::size_t cell : {1u, 2u, 5u}) map.values[cell] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NEAR(metricsOf(map).meanDistance, 0.5, 1e-6);
}

TEST(HeadMetrics, BidirectionalRowsCountTheKeysAfterTheQueryWithTheirDistance) {
  // Every query of three looks at all three alike: distances 0 1 2, 1 0 1 and 2 1 0.
  const HeadMetrics metrics = metricsOf({3, 3, std::vector<float>(9, 1.f / 3)}, {}, MaskKind::Bidirectional);
  EXPECT_NEAR(metrics.entropy, 1.098612, 1e-6);
  EXPECT_NEAR(metrics.effectiveKeys, 3, 1e-6);
  EXPECT_NEAR(metrics.meanDistance, (3 + 2 + 3) / 9.0, 1e-6);
  EXPECT_NEAR(metrics.firstKey, 1.0 / 3, 1e-6);
  ASSERT_TRUE(metrics.previousToken);
  EXPECT_NEAR(*metrics.previousToken, 1.0 / 3, 1e-6);
}

/// Rows that look at all they see alike, under a causal window or one on both sides.
MapValues uniformIn(std::int64_t T, std::int64_t left, bool bothSides) {
  MapValues map{T, T, std::vector<float>(static_cast<std::size_t>(T * T))};
  for (std::int64_t i = 0; i < T; ++i) {
    const std::int64_t begin = std::max<std::int64_t>(0, i - left);
    const std::int64_t end = bothSides ? std::min(T, i + left + 1) : i + 1;
    for (std::int64_t j = begin; j < end; ++j)
      map.values[static_cast<std::size_t>(i * T + j)] = 1 / static_cast<float>(end - begin);
  }
  return map;
}

TEST(HeadMetrics, TheWindowsEdgeIsTheFarthestTenthOfTheKeysThatAFullRowSees) {
  // A window of 20 keys has 2 at its edge; the 21 queries from 19 to 39 see all 20.
  EXPECT_NEAR(metricsOf(uniformIn(40, 19, false), Window{19}).windowEdge.value(), 2.0 / 20, 1e-6);
  // One of 25 keys: 3, rounded up. Only query 24 and later ones are full; the others do not count.
  MapValues map = uniformIn(30, 24, false);
  for (std::int64_t i = 24; i < 30; ++i) {
    for (std::int64_t j = 0; j < 30; ++j) map.values[static_cast<std::size_t>(i * 30 + j)] = i - j == 22 ? 0.5f : 0;
    map.values[static_cast<std::size_t>(i * 30 + i - 21)] = 0.5f;  // just inside the edge
  }
  EXPECT_NEAR(metricsOf(map, Window{24}).windowEdge.value(), 0.5, 1e-6);
  // On both sides of 9 before and 9 after: 1 each.
  EXPECT_NEAR(metricsOf(uniformIn(40, 9, true), Window{9}, MaskKind::Bidirectional).windowEdge.value(), 2.0 / 19, 1e-6);
}

TEST(HeadMetrics, AWindowThatCutsNothingOffHasNoEdge) {
  EXPECT_FALSE(metricsOf(uniformIn(20, 19, false), Window{19}).windowEdge);
  EXPECT_FALSE(metricsOf(uniformIn(20, 30, false), Window{30}).windowEdge);
  EXPECT_FALSE(metricsOf(uniformIn(20, 15, true), Window{15}, MaskKind::Bidirectional).windowEdge)
      << "every query is nearer to one end of the prompt";
}

TEST(HeadMetrics, OneTokenHasNoPreviousTokenAndNothingToSpreadOver) {
  const HeadMetrics metrics = metricsOf({1, 1, {1}});
  EXPECT_FALSE(metrics.previousToken);
  EXPECT_FALSE(metrics.normalisedEntropy);
  EXPECT_EQ(metrics.entropy, 0);
  EXPECT_EQ(metrics.firstKey, 1);
}

TEST(HeadMetrics, NaNIsNotHidden) {
  MapValues map = uniform();
  map.values[4] = std::numeric_limits<float>::quiet_NaN();
  const HeadMetrics metrics = metricsOf(map);
  EXPECT_TRUE(std::isnan(metrics.entropy));
  EXPECT_TRUE(std::isnan(metrics.meanDistance));
  EXPECT_TRUE(std::isnan(metrics.confidence));
  EXPECT_TRUE(std::isnan(metrics.effectiveKeys));
}

TEST(HeadMetrics, WorkGoesOnWhereItStopped) {
  const std::int64_t T = 1200;
  const auto map = support::causalMap(T, 5);
  HeadMetricsWork work(map);
  int pieces = 0;
  while (!work.isDone()) {
    work.goOn(1);
    ++pieces;
  }
  EXPECT_EQ(pieces, 3);  // bands of 512 rows
  EXPECT_EQ(work.result().entropy, headMetrics(map).entropy);
}

TEST(HeadMetrics, WorkStopsWhenItsCallerDoesNotWantToGoOn) {
  int asked = 0;
  const Progress progress([&](double, std::string_view) { return ++asked < 2; });
  EXPECT_THROW(headMetrics(support::causalMap(1200, 5), progress), Error);
  EXPECT_EQ(asked, 2);
}

TEST(HeadMetrics, EveryNumberHasANameOfItsOwnAndAFormula) {
  std::set<std::string_view> names, shortNames;
  for (const HeadMetric& metric : kHeadMetrics) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(shortNames.insert(metric.shortName).second) << metric.shortName;
    EXPECT_EQ(metric.shortName.find(' '), std::string_view::npos) << "a filter is typed with it";
    EXPECT_THAT(std::string(metric.help), ::testing::ContainsRegex("p[^a-z]")) << "a formula of the weights";
    EXPECT_EQ(metric.help.back(), '.');
  }
}

/// The definitions once more: whole matrices in double, no rule of ours. Arguments of the shape (heads, T, T).
constexpr const char* kNumpy = R"(
import sys, numpy as np
folder = sys.argv[1]
heads, T = (int(n) for n in open(folder + "/shape").read().split())
windows = [int(n) for n in open(folder + "/windows").read().split()]
A = np.fromfile(folder + "/weights", dtype=np.float32).reshape(heads, T, T).astype(np.float64)
i, j = np.mgrid[:T, :T]
for a, left in zip(A, windows):
    visible = (j <= i) & (i - j <= left)
    n = visible.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        H = -np.where(a > 0, a * np.log(a), 0).sum(1)
    m = {"entropy": H.mean(), "normalised": (H[n >= 2] / np.log(n[n >= 2])).mean(), "keys": np.exp(H).mean(),
         "confidence": a.max(1).mean(), "distance": (a * (i - j)).sum(1).mean(), "self": np.diag(a).mean(),
         "previous": np.diag(a, -1).mean(), "first": a[:, 0].mean()}
    if left < T - 1:
        edge = int(np.ceil((left + 1) / 10))
        m["edge"] = np.mean([a[r, r - left : r - left + edge].sum() for r in range(left, T)])
    print(" ".join(f"{k} {v!r}" for k, v in ((k, float(v)) for k, v in m.items())))
)";

TEST(HeadMetrics, AreThoseOfNumpyOnRealHeadsWithAndWithoutWindows) {
  const auto python = support::pythonWithNumpy();
  if (!python) GTEST_SKIP() << "there is no Python with numpy";
  std::int64_t withEdge = 0;
  for (const auto& model : {support::repository("models/shakespeare-char"), support::data("hf-mistral-window")}) {
    const auto session = Session::open(model, {}, Progress());
    std::vector<TokenId> tokens;
    for (TokenId i = 0; i < 60; ++i) tokens.push_back((i * i * 7 + 3 * i) % session->info().config.vocabulary);
    const auto capture = session->run({tokens, {}}, Progress());
    const ModelConfig& config = capture->model().config;

    support::TemporaryFolder folder;
    std::string weights;
    std::ostringstream windows, shape;
    std::vector<HeadMetrics> ours;
    for (int l = 0; l < config.layers; ++l) {
      for (int h = 0; h < config.heads; ++h) {
        const auto map = std::make_shared<AttentionMap>(capture, HeadId{Layer(l), Head(h)});
        const MapValues whole = map->rectangle(Stage::Weights, map->extent(Stage::Weights));
        weights.append(reinterpret_cast<const char*>(whole.values.data()), whole.values.size() * sizeof(float));
        windows << std::min<std::int64_t>(config.trained.windows.at(static_cast<std::size_t>(l)).left, 60) << ' ';
        ours.push_back(headMetrics(map));
      }
    }
    shape << ours.size() << ' ' << capture->size();
    support::writeFile(folder / "weights", weights);
    support::writeFile(folder / "windows", windows.str());
    support::writeFile(folder / "shape", shape.str());

    std::istringstream lines(support::runPython(*python, kNumpy, folder.path().string()));
    std::string line;
    for (const HeadMetrics& metrics : ours) {
      ASSERT_TRUE(std::getline(lines, line));
      std::istringstream words(line);
      std::map<std::string, double> theirs;
      std::string name;
      for (double value = 0; words >> name >> value;) theirs[name] = value;
      for (const HeadMetric& metric : kHeadMetrics) {
        const auto found = theirs.find(std::string(metric.shortName));
        ASSERT_EQ(metric.of(metrics).has_value(), found != theirs.end()) << metric.name;
        if (found != theirs.end()) {
          EXPECT_NEAR(*metric.of(metrics), found->second, 1e-6 * std::max(1.0, found->second)) << metric.name;
        }
      }
      if (metrics.windowEdge) ++withEdge;
    }
  }
  EXPECT_GT(withEdge, 0);
}

}  // namespace
}  // namespace core
