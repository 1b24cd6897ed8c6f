// One head of a capture: any rectangle, row or reduced overview of any stage, without ever holding T x T.
#pragma once

#include <memory>
#include <string>

#include "core/capture.h"
#include "core/map_source.h"

namespace core {

/// Exact: equal to the whole manual map within 1e-6 (weights, and the others relative to their range).
class AttentionMap final : public MapSource {
 public:
  /// Errors: Mismatch when the head is not one of the model's.
  AttentionMap(std::shared_ptr<const Capture> capture, HeadId head, KeySet hidden = {});

  HeadId head() const { return m_head; }
  const Capture& capture() const { return *m_capture; }
  /// Whether rectangle(), overview() and range() have it; a saved capture has the weights alone, maybe not of this
  /// head.
  bool hasStage(Stage stage) const { return m_capture->hasStage(stage) && m_capture->holds(m_head); }
  std::string identity() const override;
  MapMask mask() const override { return m_capture->mask(m_head.layer); }
  KeySet hidden() const override { return m_hidden; }
  MapRect extent(Stage stage) const override;  ///< (T, T), (T, D) or (T, C)
  std::optional<PositionRange> slice() const override;
  BrokenRows brokenRows() const override { return m_capture->brokenRows(m_head); }
  MapValues rectangle(Stage stage, const MapRect& rect, const Progress& progress = {}) const override;
  MapValues overview(Stage stage, const MapRect& rect, std::int64_t block, Reduction reduction,
                     const Progress& progress = {}) const override;
  ValueRange range(Stage stage, const Progress& progress = {}) const override;

 private:
  void requireInside(Stage stage, const MapRect& rect) const;  // throws Mismatch
  void requireStage(Stage stage) const;                        // throws Unsupported

  std::shared_ptr<const Capture> m_capture;
  HeadId m_head;
  KeySet m_hidden;
};

}  // namespace core
