// The map itself: pixels, zoom, pan, crosshair, pin. Setters in, signals out; values come from the worker by tiles.
#pragma once

#include <QImage>
#include <QWidget>
#include <optional>

#include "widgets/heatmap/heatmap_geometry.h"
#include "widgets/heatmap/heatmap_tiles.h"
#include "widgets/heatmap/map_painter.h"
#include "widgets/state/view_state.h"

namespace widgets {

class HeatmapView : public QWidget {
  Q_OBJECT
 public:
  explicit HeatmapView(JobRunner& jobs, QWidget* parent = nullptr);

  void setSource(std::shared_ptr<const MapSource> source);  ///< null: an empty view; a new capture fits
  void setStage(core::Stage stage);                         ///< fits when the shape is another
  void setColouring(ColormapName colormap, Scale scale, core::Reduction reduction);
  void setHovered(std::optional<Cell> cell);  ///< where the stage has no keys, Cell::key is the column
  void setPinned(std::optional<Cell> cell);

  const HeatmapGeometry& geometry() const { return m_geometry; }  ///< in device pixels
  core::Stage stage() const { return m_stage; }
  bool isExact() const;                                  ///< nothing on the screen waits for the worker
  bool hasFailed() const { return !m_error.isEmpty(); }  ///< until another source or stage is set
  std::optional<core::ValueRange> colorRange() const;    ///< of the whole map; nullopt until computed
  std::optional<float> valueAt(const Cell& cell) const;  ///< nullopt outside and until computed
  bool isVisible(const Cell& cell) const;                ///< false where the mask hides the cell at this stage
  QString pixelLegend() const;                           ///< "1 pixel = 8 × 8, max", "11 × 11 pixels a cell"

  QSize sizeHint() const override { return {560, 560}; }
  QSize minimumSizeHint() const override { return {120, 120}; }

 public Q_SLOTS:
  void fit();
  void oneToOne();
  void zoomIn();
  void zoomOut();

 Q_SIGNALS:
  void hovered(std::optional<widgets::Cell> cell);
  void pinRequested(std::optional<widgets::Cell> cell);  ///< nullopt: release
  void layerStepped(int step);
  void headStepped(int step);
  void viewChanged();                    ///< zoom, pan, size: axes and legend follow
  void valuesChanged();                  ///< more values, or the colour range, are known
  void painted();                        ///< after each frame: isExact() may have become true
  void failed(const QString& sentence);  ///< the map can't be computed; the sentence stands in its place

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Drag { None, Undecided, Pan, Box };

  void resetExtent();
  void fitViewport();
  void geometryChanged();
  void colouringChanged();
  void updateFrame();
  void requestTiles();
  void fillLine(std::int64_t blockRow, const core::PositionRange& blocks, MapLine& line) const;
  std::optional<core::ValueRange> rangeOfBlockRow(std::int64_t blockRow, std::int64_t block) const;
  void paintOverlays(QPainter& painter) const;
  void moveCell(int down, int right);
  void describe();
  std::optional<Cell> cellUnder(const QPointF& position) const;
  std::optional<Cell> shownCell() const { return m_pinned ? m_pinned : m_hovered; }

  mutable HeatmapTiles m_tiles;  // looking a tile up makes it the most recently used
  HeatmapGeometry m_geometry;
  double m_viewportRatio = 1;  // device pixels a logical one, of the geometry
  core::Stage m_stage = core::Stage::Weights;
  ColormapName m_colormap = ColormapName::Viridis;
  Scale m_scale = Scale::Linear;
  core::Reduction m_reduction = core::Reduction::Max;
  std::optional<Cell> m_hovered;
  std::optional<Cell> m_pinned;
  std::optional<Cell> m_pinBeforeClick;
  QImage m_frame;
  bool m_frameIsCurrent = false;
  QString m_error;
  Drag m_drag = Drag::None;
  QPointF m_pressed;
  QPointF m_dragged;
};

}  // namespace widgets
