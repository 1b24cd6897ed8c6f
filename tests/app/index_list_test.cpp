#include "app/index_list.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using Indexes = std::vector<int>;

TEST(IndexList, ReadsNumbersAndRangesInTheOrderGiven) {
  EXPECT_EQ(parseIndexList("0"), Indexes{0});
  EXPECT_EQ(parseIndexList("0,2"), (Indexes{0, 2}));
  EXPECT_EQ(parseIndexList("1-3"), (Indexes{1, 2, 3}));
  EXPECT_EQ(parseIndexList("7,0,2-4"), (Indexes{7, 0, 2, 3, 4}));
  EXPECT_EQ(parseIndexList("5-5"), Indexes{5});
  EXPECT_EQ(parseIndexList("2147483647"), Indexes{2147483647});
  EXPECT_EQ(parseIndexList("2147483647-2147483647"), Indexes{2147483647});
}

TEST(IndexList, RefusesWhatIsNoList) {
  for (const char* text : {"", ",", "1,", ",1", "a", "1a", "-1", "1-", "-", "1--2", "3-1", "1 2", " 1", "1.5", "+1",
                           "2147483648", "99999999999999999999"}) {
    EXPECT_EQ(parseIndexList(text), std::nullopt) << text;
  }
}

TEST(IndexList, RefusesMoreNumbersThanAnyModelHas) {
  EXPECT_EQ(parseIndexList("0-9999").value().size(), 10000u);
  EXPECT_EQ(parseIndexList("0-10000"), std::nullopt);
  EXPECT_EQ(parseIndexList("0-2147483647"), std::nullopt);
}

TEST(Positions, AreReadAsIndexesAreAndMayBeMany) {
  using Positions = std::vector<core::Position>;
  EXPECT_EQ(parsePositions("0,127,8192"), (Positions{0, 127, 8192}));
  EXPECT_EQ(parsePositions("5-9,1"), (Positions{5, 6, 7, 8, 9, 1}));
  EXPECT_EQ(parsePositions("0-32767").value().size(), 32768u);
  EXPECT_EQ(parsePositions("3000000000"), Positions{3'000'000'000});
  for (const char* text : {"", "a", "-1", "3-1", "0-1000000", "1,,2"}) EXPECT_EQ(parsePositions(text), std::nullopt);
}

TEST(PositionRange, IsHalfOpen) {
  EXPECT_EQ(parsePositionRange("5:8"), (core::PositionRange{5, 8}));
  EXPECT_EQ(parsePositionRange("0:1"), (core::PositionRange{0, 1}));
  for (const char* text : {"", ":", "5", "5:", ":8", "8:5", "5:5", "-1:4", "1:2:3", "1-4", " 1:2", "a:b"})
    EXPECT_EQ(parsePositionRange(text), std::nullopt) << text;
}

}  // namespace
}  // namespace app
