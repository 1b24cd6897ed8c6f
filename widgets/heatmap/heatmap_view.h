// The map itself: pixels, zoom, pan, crosshair, pin. Setters in, signals out; values come from the worker by tiles.
#pragma once

#include <QImage>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "widgets/heatmap/heatmap_geometry.h"
#include "widgets/heatmap/heatmap_tiles.h"
#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/overview_inset.h"
#include "widgets/state/view_state.h"

namespace widgets {

class HeatmapView : public QWidget {
  Q_OBJECT
 public:
  /// jobKey: another one for each view of a runner.
  explicit HeatmapView(JobRunner& jobs, const QString& jobKey = QStringLiteral("map.tiles"), QWidget* parent = nullptr);

  /// null: an empty view. Fits when the map has another extent; else zoom and place stay.
  void setSource(std::shared_ptr<const core::MapSource> source);
  void setStage(core::Stage stage);  ///< fits when the shape is another
  void setColours(const ColourChoice& colours);
  /// What the colours span when the user chose no range, and ranks: those of several maps side by side. Nothing: this
  /// map's own.
  void setShared(std::optional<core::ValueRange> range, std::shared_ptr<const core::ValueRanks> ranks);
  void setCellShape(CellShape shape);         ///< of maps over keys; the others always fill the viewport
  void setHovered(std::optional<Cell> cell);  ///< where the stage has no keys, Cell::key is the column
  void setPinned(std::optional<Cell> cell);

  const HeatmapGeometry& geometry() const { return m_geometry; }  ///< in device pixels
  core::Stage stage() const { return m_stage; }
  bool isExact() const;                                   ///< nothing on the screen waits for the worker
  bool hasFailed() const { return !m_error.isEmpty(); }   ///< until another source or stage is set
  std::optional<core::ValueRange> ownRange() const;       ///< of the whole map; nullopt until computed
  std::optional<core::ValueRange> colorRange() const;     ///< that the colours span; nullopt until known
  std::shared_ptr<const core::ValueRanks> ranks() const;  ///< of Scale::Percentile; null until computed
  std::optional<float> valueAt(const Cell& cell) const;   ///< nullopt outside and until computed
  bool isVisible(const Cell& cell) const;                 ///< false where the mask hides the cell at this stage
  bool isHidden(const Cell& cell) const;                  ///< its key is one that the user hid
  QString pixelLegend() const;                            ///< "1 pixel = 8 × 8, max", "11 × 11 pixels a cell"

  QSize sizeHint() const override { return {560, 560}; }
  QSize minimumSizeHint() const override { return {120, 120}; }

 public Q_SLOTS:
  void fit();
  void oneToOne();
  void zoomIn();
  void zoomOut();
  void reveal(const Cell& cell);              ///< moves no further than it must
  void showPart(const core::MapRect& cells);  ///< they fill the viewport in both directions
  void showAs(const HeatmapView& other);      ///< the same part of a map of the same extent

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
  enum class Drag { None, Undecided, Pan, Box, Inset };

  void resetExtent();
  void fitViewport();
  void geometryChanged();
  void coloursChanged();
  void updateFrame();
  void onTile(const TileKey& key);
  void paintFrame(const core::PositionRange& pixelRows, const core::PositionRange& pixelColumns);
  bool scrollFrame();
  MapPicture picture() const;
  void requestTiles();
  core::Reduction reduction() const;
  void fillLine(std::int64_t blockRow, const core::PositionRange& blocks, MapLine& line) const;
  std::optional<core::ValueRange> rangeOfRows(const core::PositionRange& rows) const;
  std::shared_ptr<const ColourTable> colourTable() const;
  const ColourTable::Code* codesOf(const Tile& tile, const ColourTable& colours) const;
  struct CodeTile {
    const ColourTable::Code* codes = nullptr;
    std::int64_t columns = 0;
    int shift = 0;  ///< levels that the tile is coarser
  };
  struct CodeRow {
    std::int64_t tileRow = -1;
    std::map<std::int64_t, CodeTile> tiles;  ///< by column of tiles
  };
  CodeTile codeTile(std::int64_t blockRow, std::int64_t block) const;
  void fillCodes(std::int64_t blockRow, const core::PositionRange& blocks, CodeRow& row,
                 ColourTable::Code* codes) const;
  std::optional<Rgb> colorAt(const Cell& cell, float value) const;
  void paintOverlays(QPainter& painter);
  void moveCell(int down, int right);
  void moveToInset(const QPointF& position);
  void describe();
  std::optional<Cell> cellUnder(const QPointF& position) const;
  std::optional<Cell> shownCell() const { return m_pinned ? m_pinned : m_hovered; }

  mutable HeatmapTiles m_tiles;  // looking a tile up makes it the most recently used
  HeatmapGeometry m_geometry;
  double m_viewportRatio = 1;  // device pixels a logical one, of the geometry
  core::Stage m_stage = core::Stage::Weights;
  ColourChoice m_colours;
  std::optional<core::ValueRange> m_sharedRange;
  std::shared_ptr<const core::ValueRanks> m_sharedRanks;
  CellShape m_cellShape = CellShape::Square;
  std::optional<Cell> m_hovered;
  std::optional<Cell> m_pinned;
  std::optional<Cell> m_pinBeforeClick;
  QImage m_frame;
  bool m_frameIsCurrent = false;
  /// What m_frame shows, so that a frame that only moved is moved and not painted anew; nullopt: nothing to move.
  std::optional<std::pair<AxisMapping, AxisMapping>> m_framed;
  /// The table of colours and what it was made of.
  struct MadeTable {
    ColourChoice choice;
    core::ValueRange range;
    std::shared_ptr<const core::ValueRanks> ranks;
    std::shared_ptr<const ColourTable> table;
  };
  mutable MadeTable m_table;
  /// Codes of the tiles that were painted lately.
  mutable std::map<Tile, std::vector<ColourTable::Code>> m_codes;
  std::shared_ptr<const ColourTable> m_codesOf;
  mutable std::size_t m_codeCount = 0;
  OverviewInset m_inset;
  QString m_error;
  Drag m_drag = Drag::None;
  QPointF m_pressed;
  QPointF m_dragged;
};

}  // namespace widgets
