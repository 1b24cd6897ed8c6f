#include "core/tokenizer/metaspace.h"

#include "core/tokenizer/normalizer.h"

namespace core::tokenizer {

std::string marked(std::string_view piece, PieceOfText place, const Metaspace& metaspace) {
  std::string text = normalized(piece, {ReplaceText{" ", metaspace.mark}});
  const bool wanted = metaspace.inFront == MarkInFront::Always ||
                      (metaspace.inFront == MarkInFront::First && place == PieceOfText::First);
  if (wanted && !text.empty() && !text.starts_with(metaspace.mark)) text.insert(0, metaspace.mark);
  return text;
}

}  // namespace core::tokenizer
