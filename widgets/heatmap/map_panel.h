// The maps with everything around them: title, stages, scales, colours, search, comparison, colour bar, line of shapes.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/value_ranks.h"
#include "widgets/heatmap/heatmap_geometry.h"
#include "widgets/heatmap/shown_maps.h"
#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

class QBoxLayout;
class QHBoxLayout;
class QLabel;
class QToolButton;

namespace widgets {

class ColorBar;
class HeatmapView;
class MapPane;
class SearchBar;
class SegmentedButtons;

/// Shows what `state` says and sets what the user chooses in it; both references must outlive the panel.
class MapPanel : public QWidget {
  Q_OBJECT
 public:
  static constexpr std::size_t kMostPanes = 6;

  MapPanel(ViewState& state, JobRunner& jobs, QWidget* parent = nullptr);
  ~MapPanel() override;

  HeatmapView& view();  ///< of the selected head; the others beside it follow its zoom
  MapPane& pane(std::size_t index) { return *m_panes.at(index); }
  std::size_t paneCount() const { return m_shownPanes; }
  void setCellShape(CellShape shape);
  SearchBar& search() { return *m_search; }
  const std::vector<ShownMap>& maps() const { return m_maps; }
  const MapUnits& units() const { return *m_units; }

  /// What the colours of all panes span, and the ranks of Scale::Percentile.
  std::optional<core::ValueRange> colorRange() const;
  std::shared_ptr<const core::ValueRanks> ranks() const;

  bool isExact() const;    ///< of all panes
  bool hasFailed() const;  ///< of one

  /// "query 238, key 230: weight 0.0116" of the pinned or hovered cell; empty when there is none.
  QString readout() const;
  /// "key 0 is hidden: it holds 62 % of the attention"; empty when nothing is hidden, or not computed yet.
  QString hiddenSentence() const;

 Q_SIGNALS:
  void readoutChanged(const QString& sentence);
  void legendChanged(const QString& legend);  ///< HeatmapView::pixelLegend()
  void valuesChanged();                       ///< of any pane: more values, or the colour range, are known
  void painted();
  void failed(const QString& sentence);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeHeader();
  void fillColourMenu();
  void connectState();
  void addPane();
  void connectPane(MapPane& pane);
  void showMaps();
  void showBrokenRows();
  void showLabels();
  void showStage();
  void showColouring();
  void showSharedRange();
  void showCell();
  void showMatches();
  void showValues();
  void measureHidden();
  void measureDifference();
  void onHovered(std::optional<Cell> cell);
  void onPinRequested(std::optional<Cell> cell);

  ViewState& m_state;
  JobRunner& m_jobs;
  std::vector<MapPane*> m_panes;  // made when first needed, then kept
  std::size_t m_shownPanes = 1;
  CellShape m_cellShape = CellShape::Square;
  std::vector<ShownMap> m_maps;
  std::unique_ptr<MapUnits> m_units;
  QString m_problem;  // why there are no maps
  QHBoxLayout* m_row;
  QBoxLayout* m_tools;
  ColorBar* m_bar;
  QLabel *m_title, *m_subtitle, *m_brokenRows, *m_shapes, *m_unit, *m_note;
  SegmentedButtons *m_stages, *m_scales;
  QToolButton* m_colours;
  SearchBar* m_search;
  std::optional<double> m_hiddenMass;
  std::optional<Cell> m_columnCell;  ///< the cell under the cursor where columns are no keys
  /// The user's colour map for stages with and without sign; changing the stage goes from one to the other.
  ColormapName m_signedColormap = ColormapName::Diverging;
  ColormapName m_weightsColormap = ColormapName::Viridis;
};

}  // namespace widgets
