// Maps made of other maps: the mean of several, and the difference of two.
#pragma once

#include <vector>

#include "core/map_source.h"

namespace core {

using MapPtr = std::shared_ptr<const MapSource>;

/// The arithmetic mean of maps of one extent, cell by cell. A cell that only some of them mask counts as 0 in the mean
/// of the weights, as in the maps themselves.
class MeanMap final : public MapSource {
 public:
  explicit MeanMap(std::vector<MapPtr> maps);  ///< at least one

  std::string identity() const override;
  MapRect extent(Stage stage) const override { return m_maps.front()->extent(stage); }
  MapMask mask() const override { return m_mask; }
  KeySet hidden() const override { return m_maps.front()->hidden(); }
  MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const override;

 private:
  std::vector<MapPtr> m_maps;
  MapMask m_mask;
};

/// a - b, cell by cell. Cells that both mask are as in any map; one that only one of the two masks is plus or minus
/// infinity in MaskedScores.
class DifferenceMap final : public MapSource {
 public:
  /// stageOfB: the stage of b that every stage of a is compared with; nullopt: the same one.
  /// Errors: Mismatch, with both extents, when maps have other numbers of rows or columns.
  DifferenceMap(MapPtr a, MapPtr b, Stage stage, std::optional<Stage> stageOfB = std::nullopt);

  std::string identity() const override;
  MapRect extent(Stage stage) const override { return m_a->extent(stage); }
  MapMask mask() const override { return m_mask; }
  KeySet hidden() const override { return m_a->hidden(); }
  bool isDifference() const override { return true; }
  MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const override;

 private:
  MapPtr m_a;
  MapPtr m_b;
  std::optional<Stage> m_stageOfB;
  MapMask m_mask;
};

}  // namespace core
