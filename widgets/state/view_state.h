// The one source of truth of what is shown. Widgets set it and follow its signals; it computes nothing.
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "core/capture.h"
#include "core/ids.h"
#include "core/key_set.h"
#include "core/map_values.h"
#include "widgets/state/colouring.h"
#include "widgets/state/comparison.h"

namespace widgets {

/// A cell of a map.
struct Cell {
  core::Position query = 0;
  core::Position key = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// L, H and T of a capture.
struct CaptureSize {
  int layers = 0;
  int heads = 0;
  std::int64_t tokens = 0;
};

class ViewState : public QObject {
  Q_OBJECT
 public:
  explicit ViewState(QObject* parent = nullptr);

  const std::shared_ptr<const core::Capture>& capture() const { return m_capture; }
  core::HeadId head() const { return m_head; }
  core::Stage stage() const { return m_stage; }
  const ColourChoice& colours() const { return m_colours; }
  std::optional<Cell> hovered() const { return m_hovered; }
  std::optional<Cell> pinned() const { return m_pinned; }
  /// What crosshair, strip and inspector show: the pinned cell, else the hovered one.
  std::optional<Cell> cell() const { return m_pinned ? m_pinned : m_hovered; }

  const std::vector<core::HeadId>& pinnedHeads() const { return m_pinnedHeads; }  ///< in the order of pinning
  bool isPinned(core::HeadId head) const;
  Shown shown() const { return m_shown; }
  const Difference& difference() const { return m_difference; }
  /// A run that was put aside to be compared with later ones; null: none.
  const std::shared_ptr<const core::Capture>& keptCapture() const { return m_keptCapture; }
  const core::KeySet& hiddenKeys() const { return m_hiddenKeys; }
  Unit unit() const { return m_unit; }
  const core::KeySet& matches() const { return m_matches; }  ///< tokens that a search found

  /// Keeps head, stage, scale and colours where the new capture has them; a cell outside the new T is dropped.
  void setCapture(std::shared_ptr<const core::Capture> capture) {
    const CaptureSize size =
        capture ? CaptureSize{capture->model().config.layers, capture->model().config.heads, capture->size()}
                : CaptureSize{};
    setCapture(std::move(capture), size);
  }
  /// The same with the capture's numbers beside it: this part calls nothing of core, so that it links without Torch.
  void setCapture(std::shared_ptr<const core::Capture> capture, const CaptureSize& size);
  void setHead(core::HeadId head);  ///< clamped to the model's heads
  void setStage(core::Stage stage);
  void setScale(Scale scale);
  void setColormap(ColormapName colormap);
  void setReduction(core::Reduction reduction);
  void setColorRange(std::optional<core::ValueRange> range);  ///< nullopt: that of what is shown
  void setPinnedHeads(std::vector<core::HeadId> heads);       ///< those that the model has not are left out
  void togglePinned(core::HeadId head);
  void setShown(Shown shown);
  void setDifference(const Difference& difference);
  void keepCapture();  ///< the present one; with nullptr shown it keeps none
  void forgetKeptCapture();
  void setHiddenKeys(const core::KeySet& keys);
  void setUnit(Unit unit);
  void setMatches(const core::KeySet& matches);
  /// A cell outside the capture is none: what a widget shows may be of the capture before.
  void setHovered(std::optional<Cell> cell);
  void setPinned(std::optional<Cell> cell);

 Q_SIGNALS:
  void captureChanged();
  void headChanged();
  void stageChanged();
  void colouringChanged();  ///< colours()
  void cellChanged();       ///< hovered or pinned
  void pinnedHeadsChanged();
  void mapsChanged();  ///< what maps are shown: pinned heads, shown(), difference(), kept run, hidden keys, unit
  void matchesChanged();

 private:
  void setColours(const ColourChoice& colours);

  std::shared_ptr<const core::Capture> m_capture;
  CaptureSize m_size;
  core::HeadId m_head;
  core::Stage m_stage = core::Stage::Weights;
  ColourChoice m_colours;
  std::vector<core::HeadId> m_pinnedHeads;
  Shown m_shown = Shown::Heads;
  Difference m_difference;
  std::shared_ptr<const core::Capture> m_keptCapture;
  core::KeySet m_hiddenKeys;
  Unit m_unit = Unit::Tokens;
  core::KeySet m_matches;
  std::optional<Cell> m_hovered;
  std::optional<Cell> m_pinned;
};

}  // namespace widgets
