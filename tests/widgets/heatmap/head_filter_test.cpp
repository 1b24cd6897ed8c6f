// What is typed to choose heads, and their order.
#include "widgets/heatmap/head_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace widgets {
namespace {

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

const core::HeadMetric& metric(std::string_view shortName) {
  for (const core::HeadMetric& found : core::kHeadMetrics)
    if (found.shortName == shortName) return found;
  throw std::out_of_range("no such number");
}

core::HeadMetrics with(double previous, double distance = 0) {
  core::HeadMetrics metrics;
  metrics.previousToken = previous;
  metrics.meanDistance = distance;
  return metrics;
}

bool passes(const char* text, const core::HeadMetrics& metrics) {
  const FilterText meaning = parseHeadFilter(QString::fromUtf8(text));
  EXPECT_TRUE(meaning.problem.isEmpty()) << text << ": " << meaning.problem.toStdString();
  return meaning.filter.passes(metrics);
}

std::string problemOf(const char* text) {
  const FilterText meaning = parseHeadFilter(QString::fromUtf8(text));
  EXPECT_TRUE(meaning.filter.isEmpty()) << text;
  return meaning.problem.toStdString();
}

TEST(HeadFilter, EveryComparisonMeansWhatItSays) {
  for (const char* text :
       {"previous > 0.3", "previous >= 0.3", "previous ≥ 0.3", "previous>.3", " PREVIOUS  > 3e-1 "}) {
    EXPECT_TRUE(passes(text, with(0.31))) << text;
    EXPECT_FALSE(passes(text, with(0.29))) << text;
  }
  for (const char* text : {"previous < 0.3", "previous <= 0.3", "previous≤0.3"}) {
    EXPECT_TRUE(passes(text, with(0.29))) << text;
    EXPECT_FALSE(passes(text, with(0.31))) << text;
  }
  EXPECT_FALSE(passes("previous > 0.5", with(0.5)));
  EXPECT_FALSE(passes("previous < 0.5", with(0.5)));
  EXPECT_TRUE(passes("previous >= 0.5", with(0.5)));
  EXPECT_TRUE(passes("previous <= 0.5", with(0.5)));
}

TEST(HeadFilter, ConditionsAreJoinedByAnd) {
  EXPECT_TRUE(passes("previous > 0.3 and distance < 5", with(0.4, 4)));
  EXPECT_FALSE(passes("previous > 0.3 and distance < 5", with(0.4, 6)));
  EXPECT_FALSE(passes("previous > 0.3 && distance < 5", with(0.2, 4)));
}

TEST(HeadFilter, TheBeginningOfANameWillDoWhereItIsOne) {
  EXPECT_TRUE(passes("prev > 0.3", with(0.4)));
  EXPECT_TRUE(passes("d < 5", with(0, 4)));
  for (const core::HeadMetric& one : core::kHeadMetrics)
    EXPECT_TRUE(parseHeadFilter(QString::fromUtf8(one.shortName.data()) + " > 0").problem.isEmpty()) << one.shortName;
  EXPECT_THAT(problemOf("e > 1"), ::testing::HasSubstr("no number of the name “e”")) << "entropy or edge";
}

TEST(HeadFilter, NothingTypedIsNoFilter) {
  for (const char* text : {"", "   "}) {
    EXPECT_TRUE(parseHeadFilter(text).filter.isEmpty());
    EXPECT_TRUE(parseHeadFilter(text).problem.isEmpty());
  }
}

TEST(HeadFilter, WhatMeansNothingIsExplained) {
  using ::testing::HasSubstr;
  EXPECT_THAT(problemOf("previus > 0.3"), HasSubstr("“previus”. There are entropy, normalised, keys"));
  EXPECT_THAT(problemOf("> 0.3"), HasSubstr("There are entropy"));
  EXPECT_EQ(problemOf("previous"), "After “previous” comes one of < <= > >= and a number: previous > 0.3");
  EXPECT_EQ(problemOf("previous 0.3"), "After “previous” comes one of < <= > >= and a number: previous > 0.3");
  EXPECT_EQ(problemOf("previous >"), "A number is missing: previous > 0.3");
  EXPECT_EQ(problemOf("previous > 0,3"), "“0,3” is no number: previous > 0.3");
  EXPECT_EQ(problemOf("previous > nan"), "“nan” is no number: previous > 0.3");
  EXPECT_EQ(problemOf("previous > 0.3 distance"), "“0.3 distance” is no number: previous > 0.3");
  EXPECT_THAT(problemOf("previous > 0.3 and "), HasSubstr("There are entropy"));
}

TEST(HeadFilter, ANumberThatAHeadHasNotPassesNothing) {
  core::HeadMetrics none;
  EXPECT_FALSE(passes("previous >= 0", none));
  EXPECT_FALSE(passes("previous < 1", none));
  EXPECT_FALSE(passes("previous < 1", with(NAN)));
}

TEST(HeadOrder, IsByTheNumberAndKeepsEqualOnesAsTheyStood) {
  const std::map<core::HeadId, core::HeadMetrics> known{{id(0, 0), with(0.2)}, {id(0, 1), with(0.9)},
                                                        {id(1, 0), with(0.2)}, {id(1, 1), with(NAN)},
                                                        {id(2, 0), {}},        {id(2, 1), with(0.5)}};
  const auto metricsOf = [&](core::HeadId head) {
    const auto found = known.find(head);
    return found == known.end() ? nullptr : &found->second;
  };
  const std::vector<core::HeadId> all{id(0, 0), id(0, 1), id(1, 0), id(1, 1), id(2, 0), id(2, 1), id(3, 0)};
  std::vector<core::HeadId> heads = all;
  sortHeads(heads, metric("previous"), HeadOrder::LargestFirst, metricsOf);
  EXPECT_THAT(heads, ::testing::ElementsAre(id(0, 1), id(2, 1), id(0, 0), id(1, 0), id(1, 1), id(2, 0), id(3, 0)));
  heads = all;
  sortHeads(heads, metric("previous"), HeadOrder::SmallestFirst, metricsOf);
  EXPECT_THAT(heads, ::testing::ElementsAre(id(0, 0), id(1, 0), id(2, 1), id(0, 1), id(1, 1), id(2, 0), id(3, 0)));
}

}  // namespace
}  // namespace widgets
