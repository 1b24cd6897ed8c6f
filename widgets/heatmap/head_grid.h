// Thumbnails of every head of every layer, or of some of them in another order.
#pragma once

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QImage>
#include <QTimer>
#include <optional>
#include <vector>

#include "core/head_metric_table.h"
#include "core/value_ranks.h"
#include "widgets/heatmap/colour_table.h"
#include "widgets/heatmap/head_grid_layout.h"
#include "widgets/heatmap/head_thumbnails.h"
#include "widgets/state/colouring.h"

class QMenu;

namespace widgets {

/// Which heads are shown, and where.
struct HeadArrangement {
  enum class Form { Layers, InOrder };
  Form form = Form::Layers;         ///< Layers: rows of whole layers. InOrder: one after the other, each with a label
  std::vector<core::HeadId> heads;  ///< in the order in which they are shown
  const core::HeadMetric* metric = nullptr;  ///< InOrder: what stands under each
};

class HeadGrid : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit HeadGrid(JobRunner& jobs, QWidget* parent = nullptr);

  void setModel(HeadGridModel model);  ///< forgets all thumbnails and computes them again; shows all layers
  void arrange(HeadArrangement arrangement);
  void setEmptyText(const QString& text);  ///< shown where no head is
  void setSelected(core::HeadId head);
  void setPinned(std::vector<core::HeadId> heads);
  /// range: what the colours of the map span, so that a value has the same colour here; nullopt: not known yet.
  void setColours(const ColourChoice& colours, std::optional<core::ValueRange> range,
                  std::shared_ptr<const core::ValueRanks> ranks = nullptr);
  void showMetrics(core::HeadId head);  ///< the model has them now
  void revealSelected() { reveal(m_selected); }

  const HeadGridModel& model() const { return m_thumbnails.model(); }
  core::HeadId selected() const { return m_selected; }
  const HeadGridLayout& places() const { return m_layout; }
  /// All thumbnails are computed, and those in sight have their colours.
  bool isComplete() const { return m_thumbnails.isComplete() && !m_paintRest.isActive(); }
  QImage thumbnail(core::HeadId head) const;  ///< null until computed
  std::size_t imagesKept() const;             ///< of the thumbnails in and near sight
  QString toolTipOf(core::HeadId head) const;
  QMenu* makeMenu(core::HeadId head);  ///< what a right click on it offers; the grid owns it

  QSize sizeHint() const override { return {320, 340}; }

 Q_SIGNALS:
  void headSelected(core::HeadId head);
  void pinToggled(core::HeadId head);
  void pinsAdded(const std::vector<core::HeadId>& heads);
  void pinsCleared();
  void thumbnailReady(core::HeadId head);
  void thumbnailsCompleted();
  void painted();  ///< all that is in sight, in its colours

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;          // its keys before those of the menus
  bool viewportEvent(QEvent* event) override;  // tooltips
  void changeEvent(QEvent* event) override;

 private:
  /// Made of a thumbnail's values for the colours at hand.
  struct Image {
    QImage image;
    bool isStale = false;  ///< of other colours: shown until the new ones are there
  };

  bool isPinned(core::HeadId head) const;
  void describe();
  std::int64_t rowsOf(core::HeadId head) const;
  void updateLayout();
  void forgetColours();
  int thumbnailPixels() const;
  QImage colored(core::HeadId head) const;
  QPoint scrolled() const;
  QRect inSight() const;  // in the pixels of the contents
  void onScrolled();
  void reveal(core::HeadId head);
  bool bringUpToDate(core::HeadId head, const QElapsedTimer& timer, bool isFirst);
  void paintLayers(QPainter& painter, const QRect& shown);
  void paintHead(QPainter& painter, std::size_t place);
  void paintFrame(QPainter& painter, const QRect& place, core::HeadId head) const;
  void paintHint(QPainter& painter) const;
  void selectPlace(std::size_t place);
  void pinUpTo(core::HeadId head);
  std::optional<std::size_t> placeFor(const QKeyEvent& event) const;

  HeadThumbnails m_thumbnails;
  HeadArrangement m_arrangement;
  HeadGridLayout m_layout;
  std::vector<Image> m_images;  // reading order
  core::HeadId m_selected;
  std::vector<core::HeadId> m_pinned;
  QString m_emptyText;
  ColourChoice m_colours;
  std::optional<core::ValueRange> m_range;
  std::shared_ptr<const core::ValueRanks> m_ranks;
  std::shared_ptr<const ColourTable> m_table;  // null with PerRow
  QTimer m_paintRest;                          // when an event's share of colouring was used up
};

}  // namespace widgets
