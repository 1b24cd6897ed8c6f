#include "core/combined_maps.h"

#include <cmath>
#include <limits>

namespace core {

namespace {

MapMask joinedMask(const std::vector<MapPtr>& maps) {
  MapMask mask = maps.front()->mask();
  const std::int64_t rows = maps.front()->extent(Stage::Weights).rows.size();
  for (std::size_t i = 1; i < maps.size(); ++i) mask = MapMask::either(mask, maps[i]->mask(), rows);
  return mask;
}

std::string text(const MapRect& extent) {
  return std::to_string(extent.rows.size()) + " x " + std::to_string(extent.columns.size());
}

}  // namespace

MeanMap::MeanMap(std::vector<MapPtr> maps) : m_maps(std::move(maps)), m_mask(joinedMask(m_maps)) {}

std::string MeanMap::identity() const {
  std::string all = "mean";
  for (const MapPtr& map : m_maps) all += " (" + map->identity() + ")";
  return all;
}

MapValues MeanMap::rectangle(Stage stage, const MapRect& rect, const Progress& progress) const {
  std::vector<double> sums(static_cast<std::size_t>(rect.cells()), 0.0);
  const auto count = static_cast<double>(m_maps.size());
  for (std::size_t m = 0; m < m_maps.size(); ++m) {
    const auto share = static_cast<double>(m) / count;
    const MapValues values = m_maps[m]->rectangle(stage, rect, progress.part(share, share));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(values.values[i]);
  }
  MapValues result{rect.rows.size(), rect.columns.size(), std::vector<float>(sums.size())};
  for (std::size_t i = 0; i < sums.size(); ++i) result.values[i] = static_cast<float>(sums[i] / count);
  return result;
}

DifferenceMap::DifferenceMap(MapPtr a, MapPtr b, Stage stage, std::optional<Stage> stageOfB)
    : m_a(std::move(a)), m_b(std::move(b)), m_stageOfB(stageOfB), m_mask(joinedMask({m_a, m_a})) {
  const MapRect one = m_a->extent(stage);
  const MapRect other = m_b->extent(m_stageOfB.value_or(stage));
  if (one != other) {
    throw Error(ErrorKind::Mismatch, "A map of " + text(one) + " cells can't be compared with one of " + text(other) +
                                         "; choose two of as many tokens.");
  }
  m_mask = joinedMask({m_a, m_b});
}

std::string DifferenceMap::identity() const {
  const std::string stage = m_stageOfB ? " at stage " + std::to_string(static_cast<int>(*m_stageOfB)) : "";
  return "(" + m_a->identity() + ") - (" + m_b->identity() + ")" + stage;
}

MapValues DifferenceMap::rectangle(Stage stage, const MapRect& rect, const Progress& progress) const {
  MapValues values = m_a->rectangle(stage, rect, progress.part(0, 0.5));
  const MapValues minus = m_b->rectangle(m_stageOfB.value_or(stage), rect, progress.part(0.5, 1));
  for (std::size_t i = 0; i < values.values.size(); ++i) values.values[i] -= minus.values[i];
  if (stage != Stage::MaskedScores) return values;
  // -infinity less -infinity is no number; such a cell is masked in both.
  for (Position row = rect.rows.begin; row < rect.rows.end; ++row) {
    const PositionRange keys = m_mask.visibleKeys(row);
    float* line = values.values.data() + (row - rect.rows.begin) * values.columns;
    for (Position column = rect.columns.begin; column < rect.columns.end; ++column) {
      if (column < keys.begin || column >= keys.end)
        line[column - rect.columns.begin] = -std::numeric_limits<float>::infinity();
    }
  }
  return values;
}

}  // namespace core
