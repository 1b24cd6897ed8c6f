// What a map widget draws: one head's values on demand. core::AttentionMap in the window, arithmetic in tests.
#pragma once

#include <memory>

#include "core/attention_map.h"

namespace widgets {

/// As core::AttentionMap: immutable, callable from any thread, heavy but for head, run, mask and extent.
class MapSource {
 public:
  virtual ~MapSource() = default;
  virtual core::HeadId head() const = 0;
  virtual const void* run() const = 0;  ///< the same for all heads of one capture
  virtual core::AttentionMask mask() const = 0;
  virtual core::MapRect extent(core::Stage stage) const = 0;
  virtual core::MapValues rectangle(core::Stage stage, const core::MapRect& rect) const = 0;
  virtual core::MapValues overview(core::Stage stage, const core::MapRect& rect, std::int64_t block,
                                   core::Reduction reduction, const core::Progress& progress) const = 0;
  virtual core::ValueRange range(core::Stage stage, const core::Progress& progress) const = 0;
  virtual core::BrokenRows brokenRows() const = 0;
};

std::shared_ptr<const MapSource> makeMapSource(core::AttentionMap map);

/// Whether cells that the mask hides are hatched at this stage: scores are from before the mask, outputs have no keys.
constexpr bool isMasked(core::Stage stage) {
  return stage == core::Stage::MaskedScores || stage == core::Stage::Weights;
}

/// Whether the columns of a stage are keys.
constexpr bool hasKeys(core::Stage stage) { return stage != core::Stage::Output && stage != core::Stage::Reassembled; }

}  // namespace widgets
