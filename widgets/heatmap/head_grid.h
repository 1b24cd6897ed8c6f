// Thumbnails of every head of every layer.
#pragma once

#include <QAbstractScrollArea>
#include <QImage>
#include <QPointer>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/heatmap/head_grid_layout.h"
#include "widgets/heatmap/map_source.h"
#include "widgets/state/job_runner.h"
#include "widgets/state/view_state.h"

namespace widgets {

/// What the grid draws: so many heads, and a map for each.
struct HeadGridModel {
  int layers = 0;
  int heads = 0;
  int kvHeads = 0;
  std::function<std::shared_ptr<const MapSource>(core::HeadId)> source;
};

class HeadGrid : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit HeadGrid(JobRunner& jobs, QWidget* parent = nullptr);
  ~HeadGrid() override;

  void setModel(HeadGridModel model);  ///< forgets all thumbnails and computes them again, in reading order
  void setSelected(core::HeadId head);
  void setColouring(ColormapName colormap, Scale scale);

  core::HeadId selected() const { return m_selected; }
  const HeadGridLayout& places() const { return m_layout; }
  bool isComplete() const { return m_next == m_thumbnails.size(); }
  QImage thumbnail(core::HeadId head) const;  ///< null until computed
  QString toolTipOf(core::HeadId head) const;

  QSize sizeHint() const override { return {320, 340}; }

 Q_SIGNALS:
  void headSelected(core::HeadId head);
  void thumbnailReady(core::HeadId head);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;  // tooltips
  void changeEvent(QEvent* event) override;

 private:
  /// Values of a head's overview and the image made of them for the colours at hand.
  struct Thumbnail {
    std::optional<core::MapValues> values;
    core::BrokenRows broken;
    QImage image;
  };

  core::HeadId headAt(std::size_t index) const;
  std::size_t indexOf(core::HeadId head) const;
  void computeNext();
  void describe();
  std::int64_t rowsOf(core::HeadId head) const;
  void updateLayout();
  void forgetImages();  // colours or sizes are others; the values stay
  int thumbnailPixels() const;
  QImage colored(core::HeadId head, const core::MapValues& values) const;
  QPoint scrolled() const;
  void reveal(core::HeadId head);
  void paintHead(QPainter& painter, core::HeadId head);

  QPointer<JobRunner> m_jobs;  // a window may destroy it before its widgets
  HeadGridModel m_model;
  HeadGridLayout m_layout;
  std::vector<Thumbnail> m_thumbnails;  // reading order
  std::size_t m_next = 0;
  std::int64_t m_block = 1;
  core::HeadId m_selected;
  ColormapName m_colormap = ColormapName::Viridis;
  Scale m_scale = Scale::Linear;
};

}  // namespace widgets
