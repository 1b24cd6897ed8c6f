// The heads of the model: small maps in layers or by a number, filtered by numbers.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/head_metric_table.h"
#include "core/value_ranks.h"
#include "widgets/heatmap/head_filter.h"
#include "widgets/state/head_metrics_reader.h"
#include "widgets/state/view_state.h"

class QAction;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace widgets {

class HeadGrid;

/// Shows what `state` says and sets what the user chooses in it; both references must outlive the panel. The numbers of
/// all heads are read once the small maps are there, or when something is ordered or filtered by them.
class HeadsPanel : public QWidget {
  Q_OBJECT
 public:
  HeadsPanel(ViewState& state, JobRunner& jobs, QWidget* parent = nullptr);

  /// What the colours of the map span, so that a value has the colour here that it has there. Small maps show weights:
  /// while the state shows another stage, a difference, or colours for signed values, they keep what they have.
  void setColours(std::optional<core::ValueRange> range, std::shared_ptr<const core::ValueRanks> ranks);

  void orderBy(const core::HeadMetric* metric);      ///< nullptr: as is. The same number again: turned round
  void showLayer(std::optional<core::Layer> layer);  ///< nullopt: all; the layer of the selected head is followed
  void setFilter(const QString& text);

  const core::HeadMetric* order() const { return m_order; }
  HeadOrder direction() const { return m_direction; }
  HeadGrid& grid() { return *m_grid; }
  const core::HeadMetrics* metrics(core::HeadId head) const { return m_reader.metrics(head); }
  QString countText() const;  ///< "12 of 36 heads"
  QString problem() const;    ///< of the filter's text; empty: none

  /// All small maps and all numbers are there, and shown.
  bool isComplete() const;

  /// "Heads": everything that the panel does, with keys; for a menu bar. The panel owns it.
  QMenu* menu() const { return m_menu; }

 Q_SIGNALS:
  void painted();  ///< all small maps in sight, in their colours

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;  // keys of the filter

 private:
  void buildMenus();
  void buildBar();
  void connectState();
  void showCapture();
  void showMaps();
  void showColouring();
  void fillLayers(int layers);
  bool needsMetrics() const { return m_order || !m_filter.isEmpty(); }
  void startMetrics();
  void arrange();
  void showChoices();
  void applyPalette();
  void pin(const std::vector<core::HeadId>& heads);
  QAction* addAction(QMenu* menu, const QString& text, const char* key, const QString& toolTip);

  ViewState& m_state;
  HeadMetricsReader m_reader;
  HeadGrid* m_grid;
  QMenu *m_menu, *m_orders, *m_layers;
  QAction *m_turnRound, *m_onlyThisLayer;
  QToolButton *m_orderButton, *m_directionButton, *m_layerButton;
  QLineEdit* m_filterEdit;
  QLabel *m_count, *m_problem;

  const core::HeadMetric* m_order = nullptr;
  HeadOrder m_direction = HeadOrder::LargestFirst;
  std::optional<core::Layer> m_layer;
  HeadFilter m_filter;
  core::KeySet m_hidden;
  std::optional<core::ValueRange> m_range;
  std::shared_ptr<const core::ValueRanks> m_ranks;
  bool m_metricsAsked = false;
  QTimer m_arrangeLater;  ///< numbers come one by one: the heads are not moved for each of them
};

}  // namespace widgets
