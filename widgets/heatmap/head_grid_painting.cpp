// What the grid of heads looks like.
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/head_grid.h"
#include "widgets/heatmap/head_grid_marks.h"
#include "widgets/heatmap/map_painter.h"
#include "widgets/state/head_words.h"

namespace widgets {

namespace {

constexpr qint64 kColouringAnEvent = 10'000'000;  // ns; the rest comes with the next event

}  // namespace

int HeadGrid::thumbnailPixels() const { return static_cast<int>(m_layout.thumbnailSize() * devicePixelRatioF()); }

QImage HeadGrid::colored(core::HeadId head) const {
  const HeadThumbnail& thumbnail = m_thumbnails.of(head);
  const core::MapValues& values = *thumbnail.values;
  const std::shared_ptr<const core::MapSource> source = model().source(head);
  const core::MapRect extent = source->extent(core::Stage::Weights);
  AxisMapping axis;
  axis.cells = extent.rows.size();
  axis.pixels = thumbnailPixels();
  axis.scale = static_cast<double>(axis.pixels) / static_cast<double>(axis.cells);
  MapPicture picture;
  picture.rows = axis;
  picture.columns = axis;
  picture.block = thumbnail.block;
  picture.mask = source->mask();
  picture.hidden = source->hidden();
  picture.colormap = m_colours.colormap;
  picture.colours = m_table;
  picture.perRow = m_colours.scale == Scale::PerRow;
  picture.hatch = isDark(palette()) ? kDarkHatch : kLightHatch;
  QImage image(axis.pixels, axis.pixels, QImage::Format_RGB32);
  paintMap(image, picture, [&](std::int64_t row, const core::PositionRange& blocks, MapLine& line) {
    for (std::int64_t column = blocks.begin; column < blocks.end; ++column)
      line.values[static_cast<std::size_t>(column - blocks.begin)] = values.at(row, column);
    std::fill(line.known.begin(), line.known.end(), char{1});
    line.range = core::ValueRange{0, *std::max_element(line.values.begin(), line.values.end())};
  });
  return image;
}

void HeadGrid::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(event->rect(), palette().base());
  if (m_layout.count() == 0) {
    painter.setPen(blended(palette(), 0.6));
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap,
                     m_emptyText);
  }
  paintHint(painter);
  painter.translate(-scrolled());
  const QRect shown = event->rect().translated(scrolled());
  paintLayers(painter, shown);
  QElapsedTimer timer;
  timer.start();
  bool isFirst = true;
  bool all = true;
  const HeadGridLayout::Places places = m_layout.placesIn(shown);
  for (std::size_t place = places.begin; place < places.end; ++place) {
    all &= bringUpToDate(m_layout.head(place), timer, isFirst);
    isFirst = false;
    paintHead(painter, place);
  }
  if (hasFocus()) {
    painter.resetTransform();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(kActionAccent, 1));
    painter.drawRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
  if (!all) return m_paintRest.start();
  Q_EMIT painted();
}

/// Colours an image that is missing or stale, unless this event has coloured long enough. Whether it is right now.
bool HeadGrid::bringUpToDate(core::HeadId head, const QElapsedTimer& timer, bool isFirst) {
  if (!m_thumbnails.of(head).values) return true;
  Image& image = m_images[model().indexOf(head)];
  // Anew also when the window came to a screen with other pixels.
  if (!image.isStale && image.image.width() == thumbnailPixels()) return true;
  if (!isFirst && timer.nsecsElapsed() > kColouringAnEvent) return false;
  image = {colored(head), false};
  return true;
}

void HeadGrid::paintLayers(QPainter& painter, const QRect& shown) {
  for (const HeadGridLayout::LayerLabel& label : m_layout.labels()) {
    if (!label.place.intersects(shown)) continue;
    const auto layer = static_cast<std::size_t>(label.layer.value);
    const bool isSelected = label.layer == m_selected.layer;
    painter.setFont(font());
    painter.setPen(blended(palette(), isSelected ? 1.0 : 0.6));
    QRect number = label.place;
    if (layer < model().letters.size()) {
      const QRect letter(number.right() - 9, number.top(), 10, number.height());
      number.setRight(letter.left() - 3);
      painter.drawText(number, Qt::AlignRight | Qt::AlignVCenter, QString::number(label.layer.value));
      painter.setFont(smallFont(font()));
      painter.setPen(isDark(palette()) ? kActionAccent.lighter(140) : kActionAccent);
      painter.drawText(letter, Qt::AlignCenter, QString(QLatin1Char(model().letters[layer])));
    } else {
      painter.drawText(number, Qt::AlignRight | Qt::AlignVCenter, QString::number(label.layer.value));
    }
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(blended(palette(), 0.06));
  for (const QRect& frame : m_layout.frames())
    if (frame.intersects(shown)) painter.drawRoundedRect(frame, 4, 4);
}

void HeadGrid::paintHead(QPainter& painter, std::size_t place) {
  const core::HeadId head = m_layout.head(place);
  const QRect thumbnail = m_layout.thumbnail(place);
  const QImage& image = m_images[model().indexOf(head)].image;
  if (image.isNull()) {
    painter.fillRect(thumbnail, QColor::fromRgb(isDark(palette()) ? kDarkHatch.ground : kLightHatch.ground));
  } else {
    painter.drawImage(thumbnail, image);
  }
  painter.setFont(font());
  const bool inOrder = m_arrangement.form == HeadArrangement::Form::InOrder;
  paintLabel(painter, thumbnail, inOrder ? headLabel(head) : QString::number(head.head.value), palette());
  if (inOrder && m_arrangement.metric) {
    const core::HeadMetrics* metrics = model().metrics ? model().metrics(head) : nullptr;
    painter.setFont(smallFont(font()));
    painter.setPen(blended(palette(), 0.75));
    painter.drawText(m_layout.text(place), Qt::AlignHCenter | Qt::AlignVCenter,
                     metrics ? metricNumber(*m_arrangement.metric, *metrics) : QStringLiteral("…"));
  }
  if (m_thumbnails.of(head).broken.count > 0) paintBadge(painter, m_layout.badge(place), palette());
  paintFrame(painter, thumbnail, head);
}

/// What the marks mean, where the heads leave room for it.
void HeadGrid::paintHint(QPainter& painter) const {
  QString text = tr("Orange: shown. Blue: pinned beside it (P).");
  if (!m_layout.frames().empty()) text += ' ' + tr("Heads in a frame share a key/value head.");
  text += ' ' + tr("Hatched: out of reach.");
  constexpr int kFlags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
  painter.setFont(smallFont(font()));
  const QRect room = viewport()->rect().adjusted(12, m_layout.size().height() + 12, -12, -6);
  const QRect needed = painter.fontMetrics().boundingRect(room, kFlags, text);
  if (m_layout.count() == 0 || room.height() < needed.height()) return;
  painter.setPen(blended(palette(), 0.6));
  painter.drawText(room, kFlags, text);
}

/// Orange: shown. Blue: pinned beside it. Both: blue within orange.
void HeadGrid::paintFrame(QPainter& painter, const QRect& place, core::HeadId head) const {
  painter.setBrush(Qt::NoBrush);
  const bool isSelected = head == m_selected;
  if (isPinned(head)) {
    const int in = isSelected ? 1 : -1;
    painter.setPen(QPen(kActionAccent, 2));
    painter.drawRoundedRect(QRectF(place).adjusted(in, in, -in, -in), 2, 2);
  }
  if (isSelected) {
    painter.setPen(QPen(kShownAccent, 2));
    painter.drawRoundedRect(QRectF(place).adjusted(-1, -1, 1, 1), 2, 2);
  }
}

}  // namespace widgets
