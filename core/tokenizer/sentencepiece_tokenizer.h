// SentencePiece by its own library, from pieces and scores.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/tokenizer/tokenizer.h"

namespace core::tokenizer {

/// By the numbers of sentencepiece_model.proto, which GGUF files use too.
enum class PieceType : std::uint8_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct SentencePieceParts {
  struct Piece {
    std::string text;  ///< U+2581 for a space; "<0x0A>" for a byte
    float score = 0;
    PieceType type = PieceType::Normal;
  };
  std::vector<Piece> pieces;  ///< by id
  bool addsSpace = true;      ///< before a text
  std::vector<TokenId> prefix;
  std::string description;
};

/// Pieces are merged best score first (SentencePiece's BPE). With all 256 byte pieces no character is unknown. A
/// spelled control piece is text, unless Specials::Tokens are asked for.
/// Errors: Corrupt for pieces that the library does not take (empty, twice, no unknown piece ...); `origin` begins the
/// sentence.
std::shared_ptr<const Tokenizer> makeSentencePiece(SentencePieceParts parts, const std::string& origin);

}  // namespace core::tokenizer
