// Weights from word to word: the pieces of a word taken together.
#pragma once

#include <vector>

#include "core/combined_maps.h"

namespace core {

/// Stage::Weights alone, shape (W, W): the weight of a word on a word is the sum over the pieces of the key word, and
/// the mean over the pieces of the query word, so that rows still sum to 1. Source: Clark et al. 2019, "What Does BERT
/// Look At?", section 4.1.
class WordMap final : public MapSource {
 public:
  /// words: the tokens of each word, one after the other without gaps, together all tokens of the map.
  WordMap(MapPtr tokens, std::vector<PositionRange> words);

  std::string identity() const override { return "words of (" + m_tokens->identity() + ")"; }
  MapRect extent(Stage stage) const override;
  MapMask mask() const override { return m_mask; }
  KeySet hidden() const override { return m_hidden; }  ///< words of which a piece is hidden
  bool isDifference() const override { return m_tokens->isDifference(); }
  BrokenRows brokenRows() const override { return m_tokens->brokenRows(); }

  /// Errors: Unsupported for another stage than Weights.
  MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const override;

 private:
  MapPtr m_tokens;
  std::vector<PositionRange> m_words;
  MapMask m_mask;
  KeySet m_hidden;
};

/// The word that a token belongs to: an index into `words`.
std::int64_t wordOf(const std::vector<PositionRange>& words, Position token);

}  // namespace core
