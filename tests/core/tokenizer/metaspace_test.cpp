#include "core/tokenizer/metaspace.h"

#include <gtest/gtest.h>

namespace core::tokenizer {
namespace {

std::string marked(std::string_view piece, PieceOfText place, MarkInFront inFront) {
  return tokenizer::marked(piece, place, Metaspace{"\u2581", inFront});
}

TEST(Metaspace, MakesSpacesMarksAndNothingElse) {
  EXPECT_EQ(marked(" a  b\t\u3000\xFF ", PieceOfText::First, MarkInFront::Never), "▁a▁▁b\t\u3000\xFF▁");
}

TEST(Metaspace, PutsAMarkInFrontWhereTheSchemeSaysSo) {
  EXPECT_EQ(marked("a", PieceOfText::First, MarkInFront::Always), "▁a");
  EXPECT_EQ(marked("a", PieceOfText::Later, MarkInFront::Always), "▁a");
  EXPECT_EQ(marked("a", PieceOfText::First, MarkInFront::First), "▁a");
  EXPECT_EQ(marked("a", PieceOfText::Later, MarkInFront::First), "a");
  EXPECT_EQ(marked("a", PieceOfText::First, MarkInFront::Never), "a");
}

TEST(Metaspace, PutsNoneBeforeAMarkOrNothing) {
  EXPECT_EQ(marked(" a", PieceOfText::First, MarkInFront::Always), "▁a");
  EXPECT_EQ(marked("▁a", PieceOfText::First, MarkInFront::First), "▁a");
  EXPECT_EQ(marked("", PieceOfText::First, MarkInFront::Always), "");
}

}  // namespace
}  // namespace core::tokenizer
