#include "core/word_map.h"

#include <algorithm>

namespace core {

namespace {

std::int64_t count(const std::vector<PositionRange>& words) { return static_cast<std::int64_t>(words.size()); }

MapMask wordMask(const MapMask& tokens, const std::vector<PositionRange>& words) {
  std::vector<PositionRange> rows;
  rows.reserve(words.size());
  for (const PositionRange& word : words) {
    const PositionRange keys = tokens.visibleKeys(word);
    rows.push_back(keys.size() <= 0 ? PositionRange{}
                                    : PositionRange{wordOf(words, keys.begin), wordOf(words, keys.end - 1) + 1});
  }
  return MapMask(std::move(rows));
}

KeySet wordSet(const KeySet& tokens, const std::vector<PositionRange>& words) {
  std::vector<Position> hidden;
  for (const Position token : tokens.keys()) {
    if (!words.empty() && token < words.back().end) hidden.push_back(wordOf(words, token));
  }
  return KeySet(std::move(hidden));
}

}  // namespace

std::int64_t wordOf(const std::vector<PositionRange>& words, Position token) {
  const auto after =
      std::partition_point(words.begin(), words.end(), [&](const PositionRange& word) { return word.begin <= token; });
  return after - words.begin() - 1;
}

WordMap::WordMap(MapPtr tokens, std::vector<PositionRange> words)
    : m_tokens(std::move(tokens)),
      m_words(std::move(words)),
      m_mask(wordMask(m_tokens->mask(), m_words)),
      m_hidden(wordSet(m_tokens->hidden(), m_words)) {}

MapRect WordMap::extent(Stage) const { return {{0, count(m_words)}, {0, count(m_words)}}; }

MapValues WordMap::rectangle(Stage stage, const MapRect& rect, const Progress& progress) const {
  if (stage != Stage::Weights)
    throw Error(ErrorKind::Unsupported,
                "Only weights can be added up to words; choose the stage weights or single tokens.");
  MapValues result{rect.rows.size(), rect.columns.size(), std::vector<float>(static_cast<std::size_t>(rect.cells()))};
  if (rect.cells() == 0) return result;
  const auto word = [this](std::int64_t index) -> const PositionRange& {
    return m_words[static_cast<std::size_t>(index)];
  };
  const PositionRange rows{word(rect.rows.begin).begin, word(rect.rows.end - 1).end};
  const PositionRange columns{word(rect.columns.begin).begin, word(rect.columns.end - 1).end};
  std::vector<double> sums(static_cast<std::size_t>(result.columns));
  std::int64_t query = rect.rows.begin;
  inBands(*m_tokens, stage, {rows, columns}, progress, [&](const PositionRange& band, const MapValues& values) {
    for (Position row = band.begin; row < band.end; ++row) {
      std::int64_t index = 0;
      for (std::int64_t key = rect.columns.begin; key < rect.columns.end; ++key, ++index) {
        for (Position piece = word(key).begin; piece < word(key).end; ++piece)
          sums[static_cast<std::size_t>(index)] +=
              static_cast<double>(values.at(row - band.begin, piece - columns.begin));
      }
      if (row + 1 < word(query).end) continue;
      for (index = 0; index < result.columns; ++index) {
        result.values[static_cast<std::size_t>((query - rect.rows.begin) * result.columns + index)] =
            static_cast<float>(sums[static_cast<std::size_t>(index)] / static_cast<double>(word(query).size()));
      }
      std::fill(sums.begin(), sums.end(), 0.0);
      ++query;
    }
  });
  return result;
}

}  // namespace core
