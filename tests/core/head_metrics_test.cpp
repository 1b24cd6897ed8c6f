#include "core/head_metrics.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace {

using core::AttentionMask;
using core::HeadMetrics;
using core::HeadMetricsSum;
using core::MapValues;

/// Every query of three looks at all that it sees alike; the check matrix U of the metrics' definition.
MapValues uniform() { return {3, 3, {1, 0, 0, 1.f / 2, 1.f / 2, 0, 1.f / 3, 1.f / 3, 1.f / 3}}; }

MapValues rowsOf(const MapValues& map, std::int64_t begin, std::int64_t end) {
  return {end - begin, map.columns, {map.values.begin() + begin * map.columns, map.values.begin() + end * map.columns}};
}

HeadMetrics metricsOf(const MapValues& map) {
  HeadMetricsSum sum(AttentionMask(map.columns));
  sum.add(map);
  return sum.result();
}

TEST(HeadMetrics, UniformAttentionHasTheKnownValues) {
  const HeadMetrics metrics = metricsOf(uniform());
  EXPECT_NEAR(metrics.entropy, (0 + 0.693147 + 1.098612) / 3, 1e-6);
  EXPECT_NEAR(metrics.effectiveKeys, (1 + 2 + 3) / 3.0, 1e-6);
  EXPECT_NEAR(metrics.meanDistance, 0.5, 1e-6);
  EXPECT_NEAR(metrics.firstKey, 0.611111, 1e-6);
  ASSERT_TRUE(metrics.previousToken);
  EXPECT_NEAR(*metrics.previousToken, (1.0 / 2 + 1.0 / 3) / 2, 1e-6);
}

TEST(HeadMetrics, APreviousTokenHeadHasNoEntropyAndDistanceOne) {
  const HeadMetrics metrics = metricsOf({4, 4, {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}});
  EXPECT_EQ(metrics.entropy, 0);
  EXPECT_EQ(metrics.effectiveKeys, 1);
  EXPECT_EQ(metrics.meanDistance, 3.0 / 4);  // the first query can only look at itself
  EXPECT_EQ(metrics.firstKey, 2.0 / 4);
  EXPECT_EQ(metrics.previousToken, 1);
}

TEST(HeadMetrics, RowsInBlocksGiveTheSameAsTheWholeMap) {
  HeadMetricsSum sum(AttentionMask(3));
  sum.add(rowsOf(uniform(), 0, 1));
  sum.add(rowsOf(uniform(), 1, 3));
  const HeadMetrics whole = metricsOf(uniform());
  EXPECT_EQ(sum.result().entropy, whole.entropy);
  EXPECT_EQ(sum.result().effectiveKeys, whole.effectiveKeys);
  EXPECT_EQ(sum.result().meanDistance, whole.meanDistance);
  EXPECT_EQ(sum.result().firstKey, whole.firstKey);
  EXPECT_EQ(sum.result().previousToken, whole.previousToken);
}

TEST(HeadMetrics, BidirectionalRowsCountTheKeysAfterTheQueryWithTheirDistance) {
  // Every query of three looks at all three alike: distances 0 1 2, 1 0 1 and 2 1 0.
  HeadMetricsSum sum(AttentionMask(3, {}, core::MaskKind::Bidirectional));
  sum.add({3, 3, std::vector<float>(9, 1.f / 3)});
  const HeadMetrics metrics = sum.result();
  EXPECT_NEAR(metrics.entropy, 1.098612, 1e-6);
  EXPECT_NEAR(metrics.effectiveKeys, 3, 1e-6);
  EXPECT_NEAR(metrics.meanDistance, (3 + 2 + 3) / 9.0, 1e-6);
  EXPECT_NEAR(metrics.firstKey, 1.0 / 3, 1e-6);
  ASSERT_TRUE(metrics.previousToken);
  EXPECT_NEAR(*metrics.previousToken, 1.0 / 3, 1e-6);
}

TEST(HeadMetrics, OneTokenHasNoPreviousToken) {
  const HeadMetrics metrics = metricsOf({1, 1, {1}});
  EXPECT_FALSE(metrics.previousToken);
  EXPECT_EQ(metrics.entropy, 0);
  EXPECT_EQ(metrics.firstKey, 1);
}

TEST(HeadMetrics, NaNIsNotHidden) {
  MapValues map = uniform();
  map.values[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(metricsOf(map).entropy));
  EXPECT_TRUE(std::isnan(metricsOf(map).meanDistance));
}

}  // namespace
