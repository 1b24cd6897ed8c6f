#include "widgets/heatmap/head_grid.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

#include "widgets/heatmap/head_grid_marks.h"

namespace widgets {

namespace {

constexpr int kLabelWidth = 26;
constexpr int kLabelWidthWithLetter = 34;

}  // namespace

HeadGrid::HeadGrid(JobRunner& jobs, QWidget* parent) : QAbstractScrollArea(parent), m_thumbnails(jobs) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Heads"));
  m_paintRest.setSingleShot(true);
  m_paintRest.setInterval(0);
  connect(&m_paintRest, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
  connect(&m_thumbnails, &HeadThumbnails::ready, this, [this](core::HeadId head) {
    if (head == m_selected) describe();
    viewport()->update(m_layout.thumbnail(head).translated(-scrolled()));
    Q_EMIT thumbnailReady(head);
  });
  connect(&m_thumbnails, &HeadThumbnails::completed, this, &HeadGrid::thumbnailsCompleted);
}

void HeadGrid::setModel(HeadGridModel model) {
  m_images.assign(model.count(), {});
  HeadArrangement all;
  all.heads = model.allHeads();
  m_thumbnails.setModel(std::move(model));
  arrange(std::move(all));
}

void HeadGrid::arrange(HeadArrangement arrangement) {
  m_arrangement = std::move(arrangement);
  updateLayout();
  describe();
}

void HeadGrid::setEmptyText(const QString& text) {
  m_emptyText = text;
  viewport()->update();
}

void HeadGrid::setSelected(core::HeadId head) {
  if (head == m_selected) return;
  m_selected = head;
  describe();
  reveal(head);
  viewport()->update();
}

void HeadGrid::setPinned(std::vector<core::HeadId> heads) {
  m_pinned = std::move(heads);
  describe();
  viewport()->update();
}

void HeadGrid::setColours(const ColourChoice& colours, std::optional<core::ValueRange> range,
                          std::shared_ptr<const core::ValueRanks> ranks) {
  if (colours == m_colours && range == m_range && ranks == m_ranks) return;
  m_range = range;
  m_ranks = ranks;
  const bool perRow = colours.scale == Scale::PerRow;
  const bool known = range && (colours.scale != Scale::Percentile || ranks);
  m_colours = colours;
  m_table = !perRow && known
                ? std::make_shared<const ColourTable>(Colouring(colours.colormap, colours.scale, *range, ranks.get()))
                : nullptr;
  forgetColours();
}

void HeadGrid::showMetrics(core::HeadId head) {
  if (head == m_selected) describe();
  if (const auto place = m_layout.placeOf(head)) viewport()->update(m_layout.text(*place).translated(-scrolled()));
}

QImage HeadGrid::thumbnail(core::HeadId head) const { return m_thumbnails.of(head).values ? colored(head) : QImage(); }

std::size_t HeadGrid::imagesKept() const {
  return static_cast<std::size_t>(
      std::count_if(m_images.begin(), m_images.end(), [](const Image& image) { return !image.image.isNull(); }));
}

bool HeadGrid::isPinned(core::HeadId head) const {
  return std::find(m_pinned.begin(), m_pinned.end(), head) != m_pinned.end();
}

void HeadGrid::forgetColours() {
  for (Image& image : m_images) image.isStale = true;
  viewport()->update();
}

void HeadGrid::updateLayout() {
  const HeadGridModel& heads = model();
  // Whether there is a scroll bar must not follow from the width that it leaves: it would come and go for ever.
  const auto laidOut = [&](int width) {
    if (m_arrangement.form == HeadArrangement::Form::InOrder)
      return HeadGridLayout::inOrder(m_arrangement.heads, smallTextHeight(font()), width);
    const int perGroup = std::max(1, heads.heads / std::max(1, heads.kvHeads));
    return HeadGridLayout::inLayers(m_arrangement.heads, perGroup, width,
                                    heads.letters.empty() ? kLabelWidth : kLabelWidthWithLetter);
  };
  m_layout = laidOut(contentsRect().width());
  const bool scrolls = m_layout.size().height() > contentsRect().height();
  if (scrolls) m_layout = laidOut(contentsRect().width() - verticalScrollBar()->sizeHint().width());
  const int beyond = m_layout.size().height() - contentsRect().height();
  verticalScrollBar()->setRange(0, scrolls ? std::max(1, beyond) : 0);
  verticalScrollBar()->setPageStep(contentsRect().height());
  verticalScrollBar()->setSingleStep(std::max(1, m_layout.thumbnailSize() / 2));
  onScrolled();
  viewport()->update();
}

void HeadGrid::resizeEvent(QResizeEvent*) { updateLayout(); }

void HeadGrid::scrollContentsBy(int, int) {
  onScrolled();
  viewport()->update();
}

void HeadGrid::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) forgetColours();
  if (event->type() == QEvent::FontChange) updateLayout();
  QAbstractScrollArea::changeEvent(event);
}

QPoint HeadGrid::scrolled() const { return {0, verticalScrollBar()->value()}; }

QRect HeadGrid::inSight() const { return {scrolled(), contentsRect().size()}; }

void HeadGrid::onScrolled() {
  const HeadGridLayout::Places seen = m_layout.placesIn(inSight());
  std::vector<core::HeadId> heads;
  for (std::size_t place = seen.begin; place < seen.end; ++place) heads.push_back(m_layout.head(place));
  m_thumbnails.setInSight(std::move(heads));
  // Images are kept a screen above and below.
  const int height = contentsRect().height();
  const HeadGridLayout::Places kept = m_layout.placesIn(inSight().adjusted(0, -height, 0, height));
  std::vector<char> isKept(m_images.size(), 0);
  for (std::size_t place = kept.begin; place < kept.end; ++place) isKept[model().indexOf(m_layout.head(place))] = 1;
  for (std::size_t index = 0; index < m_images.size(); ++index)
    if (!isKept[index]) m_images[index] = {};
}

void HeadGrid::reveal(core::HeadId head) {
  const QRect place = m_layout.thumbnail(head).adjusted(-6, -6, 6, 6);
  if (m_layout.thumbnail(head).isEmpty()) return;
  QScrollBar* const bar = verticalScrollBar();
  if (place.top() < bar->value()) bar->setValue(place.top());
  if (place.bottom() > bar->value() + bar->pageStep()) bar->setValue(place.bottom() - bar->pageStep());
}

}  // namespace widgets
