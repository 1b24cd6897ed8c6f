#include "core/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"

namespace core {
namespace {

const std::vector<float> kLogits = {1, 3, 2, 3, -1};

TEST(Sampler, TemperatureZeroTakesTheLargestAndOfEqualOnesTheFirst) {
  Sampler sampler({});
  for (int n = 0; n < 5; ++n) EXPECT_EQ(sampler.choose(kLogits), 1);
}

TEST(Sampler, NanIsNeverTheLikeliest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Sampler({}).choose(std::vector<float>{nan, -3, nan, -2}), 3);
  EXPECT_EQ(Sampler({.temperature = 1}).choose(std::vector<float>{nan, -3, nan}), 1);
  EXPECT_EQ(Sampler({}).choose(std::vector<float>{nan, nan}), 0);
}

TEST(Sampler, FrequenciesAreSoftmaxOfLogitsByTemperature) {
  const double temperature = 0.7;
  double sum = 0;
  for (const float logit : kLogits) sum += std::exp(static_cast<double>(logit) / temperature);
  constexpr int kDraws = 20000;
  std::vector<int> counts(kLogits.size());
  Sampler sampler({.temperature = temperature, .seed = 3});
  for (int n = 0; n < kDraws; ++n) ++counts[static_cast<std::size_t>(sampler.choose(kLogits))];
  for (std::size_t t = 0; t < kLogits.size(); ++t) {
    const double p = std::exp(static_cast<double>(kLogits[t]) / temperature) / sum;
    // Five standard deviations of a binomial.
    EXPECT_NEAR(counts[t], p * kDraws, 5 * std::sqrt(p * (1 - p) * kDraws)) << t;
  }
}

TEST(Sampler, OnlyTheKLargestAreChosenAndTheFirstOfEqualOnes) {
  Sampler one({.temperature = 5, .topK = 1});
  Sampler two({.temperature = 5, .topK = 2});
  std::vector<int> counts(kLogits.size());
  for (int n = 0; n < 200; ++n) {
    EXPECT_EQ(one.choose(kLogits), 1);
    ++counts[static_cast<std::size_t>(two.choose(kLogits))];
  }
  EXPECT_EQ(counts[1] + counts[3], 200);
  EXPECT_GT(counts[1], 0);
  EXPECT_GT(counts[3], 0);
}

TEST(Sampler, TheSeedDecidesTheChoices) {
  const auto draw = [](std::uint64_t seed) {
    Sampler sampler({.temperature = 1, .seed = seed});
    std::vector<TokenId> tokens;
    for (int n = 0; n < 50; ++n) tokens.push_back(sampler.choose(kLogits));
    return tokens;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST(Sampler, RefusesNumbersThatMeanNothing) {
  for (const double temperature : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(Sampler({.temperature = temperature}), Error);
  EXPECT_THROW(Sampler({.topK = -1}), Error);
}

}  // namespace
}  // namespace core
