#include "core/checkpoint/checked.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace core::checkpoint {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
using Numbers = std::vector<std::int64_t>;

TEST(Checked, SumsAndProductsThatDontFitAreNoAnswer) {
  EXPECT_EQ(checkedAdd(kMost - 1, 1), kMost);
  EXPECT_EQ(checkedAdd(kMost, 1), std::nullopt);
  EXPECT_EQ(checkedMultiply(kMost, 1), kMost);
  EXPECT_EQ(checkedMultiply(std::uint64_t{1} << 32, std::uint64_t{1} << 32), std::nullopt);
}

TEST(Checked, RangesAreComparedWithoutAdding) {
  EXPECT_TRUE(rangeFits(10, 10, 0));
  EXPECT_TRUE(rangeFits(10, 4, 6));
  EXPECT_FALSE(rangeFits(10, 4, 7));
  EXPECT_FALSE(rangeFits(10, kMost, 11));
  EXPECT_FALSE(rangeFits(10, 11, kMost - 5));
}

TEST(Checked, ElementCountRefusesNegativeSizesAndWrappingProducts) {
  EXPECT_EQ(elementCount(Numbers{}), 1u);
  EXPECT_EQ(elementCount(Numbers{3, 4}), 12u);
  EXPECT_EQ(elementCount(Numbers{std::int64_t{1} << 40, 0, std::int64_t{1} << 40}), 0u);
  EXPECT_EQ(elementCount(Numbers{std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0u);
  EXPECT_EQ(elementCount(Numbers{3, -4}), std::nullopt);
  EXPECT_EQ(elementCount(Numbers{-1}), std::nullopt);
  EXPECT_EQ(elementCount(Numbers{0, -1}), std::nullopt);
  EXPECT_EQ(elementCount(Numbers{std::int64_t{1} << 32, std::int64_t{1} << 32}), std::nullopt);
}

TEST(ViewFits, ContiguousTransposedAndScalarViewsOfTheirStorage) {
  EXPECT_TRUE(viewFits(48, 0, Numbers{3, 4}, Numbers{4, 1}, 4));
  EXPECT_TRUE(viewFits(48, 0, Numbers{4, 3}, Numbers{1, 4}, 4));
  EXPECT_TRUE(viewFits(4, 0, Numbers{}, Numbers{}, 4));
  EXPECT_TRUE(viewFits(48, 12, Numbers{0, 4}, Numbers{4, 1}, 4));
}

TEST(ViewFits, B21_StridesPastTheStorageDontFit) {
  EXPECT_FALSE(viewFits(47, 0, Numbers{3, 4}, Numbers{4, 1}, 4));
  EXPECT_FALSE(viewFits(48, 1, Numbers{3, 4}, Numbers{4, 1}, 4));
  EXPECT_FALSE(viewFits(48, 0, Numbers{3, 4}, Numbers{5, 1}, 4));
  EXPECT_FALSE(viewFits(0, 0, Numbers{}, Numbers{}, 4));
}

TEST(ViewFits, HostileNumbersDontWrap) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(viewFits(48, 0, Numbers{3}, Numbers{kHuge}, 4));
  EXPECT_FALSE(viewFits(48, kHuge, Numbers{3, 3}, Numbers{kHuge, kHuge}, 4));
  EXPECT_FALSE(viewFits(48, 0, Numbers{kHuge, kHuge}, Numbers{0, 0}, 4));
  EXPECT_FALSE(viewFits(48, kHuge, Numbers{2, 2}, Numbers{kHuge, 2}, 4)) << "the sum is 2^64";
  constexpr std::int64_t kHalf = std::int64_t{1} << 32;
  EXPECT_FALSE(viewFits(48, 0, Numbers{kHalf + 1}, Numbers{kHalf}, 4)) << "the product is 2^64";
  EXPECT_FALSE(viewFits(48, 0, Numbers{1}, Numbers{-1}, 4));
  EXPECT_FALSE(viewFits(48, -1, Numbers{1}, Numbers{1}, 4));
  EXPECT_FALSE(viewFits(48, 8, Numbers{3}, Numbers{-4}, 4));
  EXPECT_FALSE(viewFits(48, 0, Numbers{-3}, Numbers{1}, 4));
  EXPECT_FALSE(viewFits(48, 0, Numbers{3, 4}, Numbers{4}, 4));
  EXPECT_FALSE(viewFits(48, 0, Numbers{3}, Numbers{1}, 0));
}

}  // namespace
}  // namespace core::checkpoint
