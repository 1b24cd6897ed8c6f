// From what the user chose to the maps that are drawn: one head, several, their mean, or a difference.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/combined_maps.h"
#include "widgets/state/view_state.h"

namespace widgets {

struct ShownMap {
  core::HeadId head;  ///< what it is of; the first one of a mean
  QString title;      ///< "Layer 2, head 3", "Mean of 4 heads", "Layer 2, head 3 − layer 1, head 0"
  QString detail;     ///< "kv 1", or which heads: "2·3, 2·4, 3·0"
  core::MapPtr map;
};

/// Rows and columns of the maps: tokens, or words that are made of them.
class MapUnits {
 public:
  explicit MapUnits(const ViewState& state);

  bool areWords() const { return !m_words.empty(); }
  const QStringList& labels() const { return m_labels; }                     ///< "17 · the"
  const std::vector<core::PositionRange>& words() const { return m_words; }  ///< empty for tokens
  core::Position ofToken(core::Position token) const;
  core::KeySet ofTokens(const core::KeySet& tokens) const;
  Cell ofTokens(const Cell& cell) const { return {ofToken(cell.query), ofToken(cell.key)}; }
  /// The last piece of the query word, which has seen all of it, and the first piece of the key word.
  Cell toTokens(const Cell& cell) const;

 private:
  std::vector<core::PositionRange> m_words;
  QStringList m_labels;
};

/// Words are there for weights alone; other stages show tokens.
bool showsWords(const ViewState& state);

/// At least one map where the state has a capture. Errors: Mismatch when a difference is of maps of other sizes.
std::vector<ShownMap> shownMaps(const ViewState& state, const MapUnits& units);

}  // namespace widgets
