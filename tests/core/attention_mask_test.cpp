#include "core/attention_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

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

/// The rule, word by word.
bool rule(MaskKind kind, std::int64_t left, Position i, Position j) {
  return kind == MaskKind::Causal ? i - j >= 0 && i - j <= left : std::abs(i - j) <= left;
}

TEST(AttentionMask, BidirectionalQuerySeesEveryKeyOrThoseWithinTheWindowOnBothSides) {
  const AttentionMask whole(5, {}, MaskKind::Bidirectional);
  for (Position i = 0; i < 5; ++i) EXPECT_EQ(whole.visibleKeys(i), (PositionRange{0, 5}));
  for (const std::int64_t left : {0, 1, 3, 6, 7, 100}) {
    const AttentionMask mask(7, {left}, MaskKind::Bidirectional);
    for (Position i = 0; i < 7; ++i) {
      for (Position j = 0; j < 7; ++j) EXPECT_EQ(mask.visible(i, j), std::abs(i - j) <= left) << left << i << j;
    }
  }
}

TEST(AttentionMask, RectanglesAndCountsFollowTheRuleUnderEveryMask) {
  constexpr std::int64_t T = 7;
  for (const MaskKind kind : {MaskKind::Causal, MaskKind::Bidirectional}) {
    for (const std::int64_t left :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, std::int64_t{6}, std::int64_t{7}, Window::kNoLimit}) {
      const AttentionMask mask(T, {left}, kind);
      std::int64_t cells = 0;
      for (Position i = 0; i < T; ++i) {
        for (Position j = 0; j < T; ++j) cells += rule(kind, left, i, j);
      }
      EXPECT_EQ(mask.visibleCells(), cells) << left;
      for (Position top = 0; top < T; ++top) {
        for (Position bottom = top + 1; bottom <= T; ++bottom) {
          PositionRange keys{T, 0};
          for (Position first = 0; first < T; ++first) {
            for (Position end = first + 1; end <= T; ++end) {
              bool any = false;
              bool all = true;
              for (Position i = top; i < bottom; ++i) {
                for (Position j = first; j < end; ++j) {
                  any = any || rule(kind, left, i, j);
                  all = all && rule(kind, left, i, j);
                }
              }
              EXPECT_EQ(mask.anyVisible({top, bottom}, {first, end}), any) << left << top << bottom << first << end;
              EXPECT_EQ(mask.allVisible({top, bottom}, {first, end}), all) << left << top << bottom << first << end;
              if (any && end == first + 1) keys = {std::min(keys.begin, first), std::max(keys.end, end)};
            }
          }
          EXPECT_EQ(mask.visibleKeys(PositionRange{top, bottom}), keys) << left << top << bottom;
        }
      }
    }
  }
  EXPECT_TRUE(AttentionMask(T).allVisible({3, 3}, {0, T})) << "no cell is hidden where there is none";
}

TEST(AttentionMask, CellsOfALongMaskAreCountedWithoutGoingThroughThem) {
  EXPECT_EQ(AttentionMask(32768).visibleCells(), 32768LL * 32769 / 2);
  EXPECT_EQ(AttentionMask(32768, {512}).visibleCells(), 513LL * 514 / 2 + (32768LL - 513) * 513);
  EXPECT_EQ(AttentionMask(32768, {}, MaskKind::Bidirectional).visibleCells(), 32768LL * 32768);
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
