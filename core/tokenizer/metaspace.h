// Spaces as marks that are part of the tokens: Hugging Face's Metaspace.
#pragma once

#include <string>
#include <string_view>

namespace core::tokenizer {

/// Which pieces get a mark in front. They are what lies between added tokens; one that has a mark there gets no second.
enum class MarkInFront { Never, First, Always };

/// Whether a piece begins where the whole text does.
enum class PieceOfText { First, Later };

struct Metaspace {
  std::string mark;  ///< one character, "\u2581" as a rule
  MarkInFront inFront = MarkInFront::Always;
};

/// The piece with marks for its spaces.
std::string marked(std::string_view piece, PieceOfText place, const Metaspace& metaspace);

}  // namespace core::tokenizer
