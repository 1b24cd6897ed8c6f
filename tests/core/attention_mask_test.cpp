#include "core/attention_mask.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace core {
namespace {

TEST(AttentionMask, CausalQuerySeesItselfAndWhatCameBefore) {
  const AttentionMask mask(5);
  for (Position i = 0; i < 5; ++i) {
    EXPECT_EQ(mask.visibleKeys(i), (PositionRange{0, i + 1}));
    for (Position j = 0; j < 5; ++j) EXPECT_EQ(mask.visible(i, j), i - j >= 0) << i << ", " << j;
  }
}

TEST(AttentionMask, RectangleIsHiddenOnlyWhenAllItsCellsAre) {
  const AttentionMask mask(8);
  for (Position top = 0; top < 8; ++top) {
    for (Position left = 0; left < 8; ++left) {
      bool any = false;
      for (Position i = top; i < top + 2 && i < 8; ++i) {
        for (Position j = left; j < left + 2 && j < 8; ++j) any = any || i - j >= 0;
      }
      EXPECT_EQ(mask.anyVisible({top, std::min<Position>(top + 2, 8)}, {left, std::min<Position>(left + 2, 8)}), any);
    }
  }
  EXPECT_FALSE(mask.anyVisible({3, 3}, {0, 1}));
}

TEST(AttentionMask, WindowSeesAsManyKeysBeforeTheQueryAsItsNumber) {
  for (const std::int64_t left : {0, 1, 3, 6, 7, 100}) {
    const AttentionMask mask(7, {left});
    for (Position i = 0; i < 7; ++i) {
      EXPECT_EQ(mask.visibleKeys(i).size(), std::min<std::int64_t>(i, left) + 1);
      for (Position j = 0; j < 7; ++j) EXPECT_EQ(mask.visible(i, j), j <= i && i - j <= left) << left << i << j;
    }
    for (Position top = 0; top < 6; ++top) {
      for (Position first = 0; first < 6; ++first) {
        bool any = false;
        for (Position i = top; i < top + 2; ++i) {
          for (Position j = first; j < first + 2; ++j) any = any || (j <= i && i - j <= left);
        }
        EXPECT_EQ(mask.anyVisible({top, top + 2}, {first, first + 2}), any) << left << top << first;
      }
    }
  }
}

}  // namespace
}  // namespace core
