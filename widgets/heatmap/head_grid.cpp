#include "widgets/heatmap/head_grid.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "core/capture.h"
#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/head_grid_marks.h"
#include "widgets/heatmap/map_painter.h"
#include "widgets/heatmap/map_words.h"
#include "widgets/heatmap/tile_values.h"

namespace widgets {

namespace {

constexpr std::int64_t kThumbnailBlocks = 64;
constexpr int kSmallestWithNumber = 32;
QString jobKey() { return QStringLiteral("heads.thumbnails"); }

/// What the worker makes for one head.
struct Overview {
  core::MapValues values;
  core::BrokenRows broken;
};

}  // namespace

HeadGrid::HeadGrid(JobRunner& jobs, QWidget* parent) : QAbstractScrollArea(parent), m_jobs(&jobs) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Heads"));
}

HeadGrid::~HeadGrid() {
  if (m_jobs) m_jobs->cancel(jobKey());
}

void HeadGrid::setModel(HeadGridModel model) {
  if (m_jobs) m_jobs->cancel(jobKey());
  m_model = std::move(model);
  m_thumbnails.assign(static_cast<std::size_t>(m_model.layers) * static_cast<std::size_t>(m_model.heads), {});
  m_next = 0;
  describe();
  updateLayout();
  computeNext();
}

void HeadGrid::setSelected(core::HeadId head) {
  if (head == m_selected) return;
  m_selected = head;
  describe();
  reveal(head);
  viewport()->update();
}

void HeadGrid::setColouring(ColormapName colormap, Scale scale) {
  if (colormap == m_colormap && scale == m_scale) return;
  m_colormap = colormap;
  m_scale = scale;
  forgetImages();
}

QImage HeadGrid::thumbnail(core::HeadId head) const {
  const Thumbnail& thumbnail = m_thumbnails.at(indexOf(head));
  return thumbnail.values ? colored(head, *thumbnail.values) : QImage();
}

QString HeadGrid::toolTipOf(core::HeadId head) const {
  core::ModelConfig config;
  config.heads = m_model.heads;
  config.kvHeads = m_model.kvHeads;
  const int kvHead = core::kvHeadOf(config, head.head).value;
  const QString name = tr("Layer %1, head %2 (kv %3)").arg(head.layer.value).arg(head.head.value).arg(kvHead);
  const core::BrokenRows& broken = m_thumbnails.at(indexOf(head)).broken;
  return broken.count == 0 ? name : name + '\n' + brokenRowsHelp(broken, rowsOf(head));
}

void HeadGrid::describe() {
  if (m_thumbnails.empty()) return setAccessibleDescription({});
  QString text = tr("layer %1, head %2").arg(m_selected.layer.value).arg(m_selected.head.value);
  if (const std::size_t index = indexOf(m_selected); index < m_thumbnails.size()) {
    const core::BrokenRows& broken = m_thumbnails[index].broken;
    if (broken.count > 0) text += ": " + brokenRowsText(broken, rowsOf(m_selected));
  }
  setAccessibleDescription(text);
}

std::int64_t HeadGrid::rowsOf(core::HeadId head) const {
  return m_model.source(head)->extent(core::Stage::Weights).rows.size();
}

core::HeadId HeadGrid::headAt(std::size_t index) const {
  const int i = static_cast<int>(index);
  return {core::Layer(i / m_model.heads), core::Head(i % m_model.heads)};
}

std::size_t HeadGrid::indexOf(core::HeadId head) const {
  return static_cast<std::size_t>(head.layer.value) * static_cast<std::size_t>(m_model.heads) +
         static_cast<std::size_t>(head.head.value);
}

void HeadGrid::computeNext() {
  if (isComplete() || !m_jobs || !m_model.source) return;
  const std::shared_ptr<const MapSource> source = m_model.source(headAt(m_next));
  const core::MapRect extent = source->extent(core::Stage::Weights);
  m_block = std::max<std::int64_t>(1, (extent.rows.size() + kThumbnailBlocks - 1) / kThumbnailBlocks);
  m_jobs->submit<Overview>(
      jobKey(), JobPriority::Background,
      [source, extent, block = m_block](const core::Progress& progress) {
        return Overview{source->overview(core::Stage::Weights, extent, block, core::Reduction::Max, progress),
                        source->brokenRows()};
      },
      [this](Overview overview) {
        m_thumbnails[m_next].values = std::move(overview.values);
        m_thumbnails[m_next].broken = overview.broken;
        const core::HeadId head = headAt(m_next);
        ++m_next;
        if (head == m_selected) describe();
        viewport()->update(m_layout.thumbnail(head).translated(-scrolled()));
        Q_EMIT thumbnailReady(head);
        computeNext();
      },
      // The map itself says what went wrong when this head is looked at; the thumbnail stays a waiting one.
      [this](const core::Error& error) {
        if (error.kind() == core::ErrorKind::Cancelled) return;
        ++m_next;
        computeNext();
      });
}

int HeadGrid::thumbnailPixels() const { return static_cast<int>(m_layout.thumbnailSize() * devicePixelRatioF()); }

QImage HeadGrid::colored(core::HeadId head, const core::MapValues& values) const {
  const std::shared_ptr<const MapSource> source = m_model.source(head);
  const core::AttentionMask mask = source->mask();
  const core::MapRect extent = source->extent(core::Stage::Weights);
  AxisMapping axis;
  axis.cells = extent.rows.size();
  axis.pixels = thumbnailPixels();
  axis.scale = static_cast<double>(axis.pixels) / static_cast<double>(axis.cells);
  MapPicture picture;
  picture.rows = axis;
  picture.columns = axis;
  picture.block = m_block;
  picture.mask = mask;
  picture.colormap = m_colormap;
  picture.scale = m_scale;
  picture.hatch = isDark(palette()) ? kDarkHatch : kLightHatch;
  const float highest = values.values.empty() ? 0 : *std::max_element(values.values.begin(), values.values.end());
  QImage image(axis.pixels, axis.pixels, QImage::Format_RGB32);
  paintMap(image, picture, [&](std::int64_t row, const core::PositionRange& blocks, MapLine& line) {
    for (std::int64_t column = blocks.begin; column < blocks.end; ++column)
      line.values[static_cast<std::size_t>(column - blocks.begin)] = values.at(row, column);
    std::fill(line.known.begin(), line.known.end(), char{1});
    const float rowHighest = *std::max_element(line.values.begin(), line.values.end());
    line.range = core::ValueRange{0, m_scale == Scale::PerRow ? rowHighest : highest};
  });
  return image;
}

void HeadGrid::forgetImages() {
  for (Thumbnail& thumbnail : m_thumbnails) thumbnail.image = {};
  viewport()->update();
}

void HeadGrid::updateLayout() {
  const int oldSize = m_layout.thumbnailSize();
  m_layout = HeadGridLayout(m_model.layers, m_model.heads, m_model.kvHeads, viewport()->width());
  if (m_layout.thumbnailSize() != oldSize) forgetImages();
  const QSize beyond = m_layout.size() - viewport()->size();
  horizontalScrollBar()->setRange(0, std::max(0, beyond.width()));
  horizontalScrollBar()->setPageStep(viewport()->width());
  verticalScrollBar()->setRange(0, std::max(0, beyond.height()));
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(std::max(1, m_layout.thumbnailSize() / 2));
  viewport()->update();
}

void HeadGrid::resizeEvent(QResizeEvent*) { updateLayout(); }

void HeadGrid::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) forgetImages();
  QAbstractScrollArea::changeEvent(event);
}

QPoint HeadGrid::scrolled() const { return {horizontalScrollBar()->value(), verticalScrollBar()->value()}; }

void HeadGrid::reveal(core::HeadId head) {
  const QRect place = m_layout.thumbnail(head).adjusted(-6, -6, 6, 6);
  const auto into = [](QScrollBar* bar, int begin, int end) {
    if (begin < bar->value()) bar->setValue(begin);
    if (end > bar->value() + bar->pageStep()) bar->setValue(end - bar->pageStep());
  };
  into(horizontalScrollBar(), place.left(), place.right());
  into(verticalScrollBar(), place.top(), place.bottom());
}

void HeadGrid::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(event->rect(), palette().base());
  painter.translate(-scrolled());
  const QRect shown = event->rect().translated(scrolled());
  for (int l = 0; l < m_layout.layers(); ++l) {
    const core::Layer layer(l);
    const QRect label = m_layout.layerLabel(layer);
    if (label.bottom() < shown.top() - 8 || label.top() > shown.bottom() + 8) continue;
    painter.setFont(font());
    painter.setPen(blended(palette(), l == m_selected.layer.value ? 1.0 : 0.6));
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, QString::number(l));
    painter.setPen(Qt::NoPen);
    painter.setBrush(blended(palette(), 0.06));
    for (int group = 0; group < m_layout.groups(); ++group) painter.drawRoundedRect(m_layout.group(layer, group), 4, 4);
    for (int h = 0; h < m_layout.heads(); ++h) paintHead(painter, {layer, core::Head(h)});
  }
  if (hasFocus()) {
    painter.resetTransform();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(kActionAccent, 1));
    painter.drawRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void HeadGrid::paintHead(QPainter& painter, core::HeadId head) {
  Thumbnail& thumbnail = m_thumbnails[indexOf(head)];
  const QRect place = m_layout.thumbnail(head);
  // Anew also when the window came to a screen with other pixels.
  if (thumbnail.values && thumbnail.image.width() != thumbnailPixels())
    thumbnail.image = colored(head, *thumbnail.values);
  if (thumbnail.image.isNull()) {
    painter.fillRect(place, QColor::fromRgb(isDark(palette()) ? kDarkHatch.ground : kLightHatch.ground));
  } else {
    painter.drawImage(place, thumbnail.image);
  }
  painter.setFont(font());
  if (place.width() >= kSmallestWithNumber) paintNumber(painter, place, head.head.value, palette());
  if (thumbnail.broken.count > 0) paintBadge(painter, m_layout.badge(head), palette());
  if (head == m_selected) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(kShownAccent, 2));
    painter.drawRoundedRect(QRectF(place).adjusted(-1, -1, 1, 1), 2, 2);
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(blended(palette(), 0.06));
}

void HeadGrid::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  if (const auto head = m_layout.headAt(event->pos() + scrolled())) Q_EMIT headSelected(*head);
}

// The press was ours, so the release is no one else's.
void HeadGrid::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void HeadGrid::keyPressEvent(QKeyEvent* event) {
  if (m_thumbnails.empty()) return QAbstractScrollArea::keyPressEvent(event);
  int layer = m_selected.layer.value;
  int head = m_selected.head.value;
  switch (event->key()) {
    case Qt::Key_Left: --head; break;
    case Qt::Key_Right: ++head; break;
    case Qt::Key_Up: --layer; break;
    case Qt::Key_Down: ++layer; break;
    case Qt::Key_Home: head = 0; break;
    case Qt::Key_End: head = m_model.heads - 1; break;
    default: return QAbstractScrollArea::keyPressEvent(event);
  }
  const core::HeadId to{core::Layer(std::clamp(layer, 0, m_model.layers - 1)),
                        core::Head(std::clamp(head, 0, m_model.heads - 1))};
  if (to != m_selected) Q_EMIT headSelected(to);
}

bool HeadGrid::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const std::optional<core::HeadId> head = m_layout.headAt(help->pos() + scrolled());
  if (head) {
    QToolTip::showText(help->globalPos(), toolTipOf(*head), viewport());
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace widgets
