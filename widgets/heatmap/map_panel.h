// The map with everything around it: title, stages, scales, colours, token axes, colour bar, and the line of shapes.
#pragma once

#include <QWidget>
#include <optional>

#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

class QAction;
class QLabel;
class QToolButton;

namespace widgets {

class ColorBar;
class HeatmapView;
class SegmentedButtons;
class TokenAxis;

/// Shows what `state` says and sets what the user chooses in it; both references must outlive the panel.
class MapPanel : public QWidget {
  Q_OBJECT
 public:
  MapPanel(ViewState& state, JobRunner& jobs, QWidget* parent = nullptr);

  HeatmapView& view() { return *m_view; }

  /// "query 238, key 230: weight 0.0116" of the pinned or hovered cell; empty when there is none.
  QString readout() const;

 Q_SIGNALS:
  void readoutChanged(const QString& sentence);
  void legendChanged(const QString& legend);  ///< HeatmapView::pixelLegend()

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeHeader();
  void fillColourMenu();
  void connectState();
  void connectView();
  void showCapture();
  void showHead();
  void showBrokenRows();
  void showStage();
  void showColouring();
  void showCell();
  void showGeometry();
  void showValues();
  void onHovered(std::optional<Cell> cell);
  void onPinRequested(std::optional<Cell> cell);

  ViewState& m_state;
  HeatmapView* m_view;
  TokenAxis* m_keys;
  TokenAxis* m_queries;
  ColorBar* m_bar;
  QLabel* m_title;
  QLabel* m_subtitle;
  QLabel* m_brokenRows;
  QLabel* m_shapes;
  QLabel* m_axisNames;
  QLabel* m_unit;
  SegmentedButtons* m_stages;
  SegmentedButtons* m_scales;
  QToolButton* m_colours;
  std::optional<Cell> m_columnCell;  ///< the cell under the cursor where columns are no keys
  /// The user's colour map for stages with and without sign; changing the stage goes from one to the other.
  ColormapName m_signedColormap = ColormapName::Diverging;
  ColormapName m_weightsColormap = ColormapName::Viridis;
};

}  // namespace widgets
