// The one source of truth of what is shown. Widgets set it and follow its signals; it computes nothing.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "core/attention_map.h"
#include "core/capture.h"
#include "core/ids.h"
#include "widgets/state/colouring.h"

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
  Scale scale() const { return m_scale; }
  ColormapName colormap() const { return m_colormap; }
  core::Reduction reduction() const { return m_reduction; }
  std::optional<Cell> hovered() const { return m_hovered; }
  std::optional<Cell> pinned() const { return m_pinned; }
  /// What crosshair, strip and inspector show: the pinned cell, else the hovered one.
  std::optional<Cell> cell() const { return m_pinned ? m_pinned : m_hovered; }

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
  /// A cell outside the capture is none: what a widget shows may be of the capture before.
  void setHovered(std::optional<Cell> cell);
  void setPinned(std::optional<Cell> cell);

 Q_SIGNALS:
  void captureChanged();
  void headChanged();
  void stageChanged();
  void colouringChanged();  ///< scale, colour map or reduction
  void cellChanged();       ///< hovered or pinned

 private:
  std::shared_ptr<const core::Capture> m_capture;
  CaptureSize m_size;
  core::HeadId m_head;
  core::Stage m_stage = core::Stage::Weights;
  Scale m_scale = Scale::Linear;
  ColormapName m_colormap = ColormapName::Viridis;
  core::Reduction m_reduction = core::Reduction::Max;
  std::optional<Cell> m_hovered;
  std::optional<Cell> m_pinned;
};

}  // namespace widgets
