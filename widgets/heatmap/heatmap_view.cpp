#include "widgets/heatmap/heatmap_view.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/tile_order.h"

namespace widgets {

namespace {

constexpr std::size_t kTileBudget = 128u << 20;

}  // namespace

HeatmapView::HeatmapView(JobRunner& jobs, QWidget* parent)
    : QWidget(parent), m_tiles(jobs, QStringLiteral("map.tiles"), kTileBudget) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Map"));
  describe();
  connect(&m_tiles, &HeatmapTiles::tileReady, this, [this] {
    m_frameIsCurrent = false;
    update();
    describe();
    Q_EMIT valuesChanged();
  });
  connect(&m_tiles, &HeatmapTiles::failed, this, [this](const QString& sentence) {
    m_error = sentence;
    update();
    Q_EMIT failed(sentence);
  });
}

void HeatmapView::setSource(std::shared_ptr<const MapSource> source) {
  const auto& old = m_tiles.source();
  const bool sameRun = old && source && old->run() == source->run();
  m_tiles.setSource(std::move(source));
  m_error.clear();
  if (!sameRun) {
    m_hovered.reset();
    m_pinned.reset();
    resetExtent();
  }
  colouringChanged();
}

void HeatmapView::setStage(core::Stage stage) {
  if (stage == m_stage) return;
  const auto& source = m_tiles.source();
  const bool sameShape = source && source->extent(stage) == source->extent(m_stage);
  if (hasKeys(stage) != hasKeys(m_stage)) m_hovered.reset();
  m_stage = stage;
  m_error.clear();
  if (!sameShape) resetExtent();
  colouringChanged();
}

void HeatmapView::setColouring(ColormapName colormap, Scale scale, core::Reduction reduction) {
  m_colormap = colormap;
  m_scale = scale;
  m_reduction = reduction;
  colouringChanged();
}

void HeatmapView::setHovered(std::optional<Cell> cell) {
  if (cell == m_hovered) return;
  m_hovered = cell;
  describe();
  update();
}

void HeatmapView::setPinned(std::optional<Cell> cell) {
  if (cell == m_pinned) return;
  m_pinned = cell;
  describe();
  update();
}

void HeatmapView::resetExtent() {
  const auto& source = m_tiles.source();
  m_geometry.setExtent(source ? source->extent(m_stage) : core::MapRect{},
                       hasKeys(m_stage) ? CellShape::Square : CellShape::Free);
  geometryChanged();
}

void HeatmapView::geometryChanged() {
  m_frameIsCurrent = false;
  update();
  Q_EMIT viewChanged();
}

void HeatmapView::colouringChanged() {
  m_frameIsCurrent = false;
  update();
  describe();
  Q_EMIT viewChanged();
  Q_EMIT valuesChanged();
}

bool HeatmapView::isExact() const {
  return m_tiles.source() && m_frameIsCurrent && m_tiles.isIdle() && m_error.isEmpty();
}

std::optional<core::ValueRange> HeatmapView::colorRange() const {
  if (!m_tiles.source()) return std::nullopt;
  const Tile tile = m_tiles.find(rangeKey(m_tiles.baseKey(m_stage, m_reduction)));
  if (!tile) return std::nullopt;
  return widgets::colorRange(m_stage, {tile->values[0], tile->values[1]});
}

bool HeatmapView::isVisible(const Cell& cell) const {
  return !isMasked(m_stage) || (m_tiles.source() && m_tiles.source()->mask().visible(cell.query, cell.key));
}

std::optional<float> HeatmapView::valueAt(const Cell& cell) const {
  if (cell.query < 0 || cell.key < 0) return std::nullopt;
  const TileKey key = valuesKey(m_tiles.baseKey(m_stage, m_reduction), 0, cell.query / kTileSize, cell.key / kTileSize);
  const Tile tile = m_tiles.find(key);
  const std::int64_t row = cell.query % kTileSize;
  const std::int64_t column = cell.key % kTileSize;
  if (!tile || row >= tile->rows || column >= tile->columns) return std::nullopt;
  return tile->at(row, column);
}

QString HeatmapView::pixelLegend() const {
  if (!m_tiles.source()) return {};
  const auto number = [](double value) {
    const double rounded = std::round(value * 10) / 10;
    return rounded == std::floor(rounded) ? QString::number(rounded, 'f', 0) : QString::number(rounded, 'f', 1);
  };
  const double down = m_geometry.rows().scale;
  const double right = m_geometry.columns().scale;
  if (down >= 1 && right >= 1) return tr("%1 × %2 pixels a cell").arg(number(right), number(down));
  const QString how = m_reduction == core::Reduction::Mean ? tr("mean") : tr("max");
  return tr("1 pixel = %1 × %2, %3").arg(number(std::max(1.0, 1 / right)), number(std::max(1.0, 1 / down)), how);
}

void HeatmapView::fit() {
  m_geometry.fit();
  geometryChanged();
}

void HeatmapView::oneToOne() {
  m_geometry.oneToOne();
  geometryChanged();
}

void HeatmapView::zoomIn() {
  m_geometry.zoomAt(m_geometry.columns().end() / 2.0, m_geometry.rows().end() / 2.0, 1.5);
  geometryChanged();
}

void HeatmapView::zoomOut() {
  m_geometry.zoomAt(m_geometry.columns().end() / 2.0, m_geometry.rows().end() / 2.0, 1 / 1.5);
  geometryChanged();
}

void HeatmapView::resizeEvent(QResizeEvent*) { fitViewport(); }

void HeatmapView::fitViewport() {
  const double ratio = devicePixelRatioF();
  m_geometry.setViewport(static_cast<int>(std::lround(width() * ratio)),
                         static_cast<int>(std::lround(height() * ratio)), ratio);
  m_viewportRatio = ratio;
  geometryChanged();
}

void HeatmapView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) geometryChanged();
  QWidget::changeEvent(event);
}

void HeatmapView::requestTiles() {
  const auto& source = m_tiles.source();
  if (!source || !m_error.isEmpty()) return;
  const core::AttentionMask mask = source->mask();
  TileNeed need;
  need.base = m_tiles.baseKey(m_stage, m_reduction);
  need.extent = source->extent(m_stage);
  need.visible = {m_geometry.rows().visibleCells(), m_geometry.columns().visibleCells()};
  need.level = m_geometry.level();
  need.mask = isMasked(m_stage) ? &mask : nullptr;
  need.rowRanges = m_scale == Scale::PerRow;
  const std::optional<Cell> cell = shownCell();
  need.focusRow = cell ? cell->query : (need.visible.rows.begin + need.visible.rows.end) / 2;
  need.focusColumn = cell ? cell->key : (need.visible.columns.begin + need.visible.columns.end) / 2;
  std::vector<TileKey> tiles = tilesInOrder(need);
  // The read-out of the cell under the cursor is exact also where pixels are blocks.
  if (cell && need.level > 0) tiles.push_back(valuesKey(need.base, 0, cell->query / kTileSize, cell->key / kTileSize));
  m_tiles.want(tiles);
}

std::optional<core::ValueRange> HeatmapView::rangeOfBlockRow(std::int64_t blockRow, std::int64_t block) const {
  if (m_scale != Scale::PerRow) return colorRange();
  const TileKey base = m_tiles.baseKey(m_stage, m_reduction);
  core::ValueRange range{INFINITY, -INFINITY};
  const std::int64_t end = std::min(m_geometry.rows().cells, (blockRow + 1) * block);
  for (std::int64_t row = blockRow * block; row < end; ++row) {
    const Tile tile = m_tiles.find(rowRangesKey(base, row / kTileSize));
    if (!tile) return std::nullopt;
    range.low = std::min(range.low, tile->at(row % kTileSize, 0));
    range.high = std::max(range.high, tile->at(row % kTileSize, 1));
  }
  return widgets::colorRange(m_stage, range);
}

void HeatmapView::fillLine(std::int64_t blockRow, const core::PositionRange& blocks, MapLine& line) const {
  const int level = m_geometry.level();
  const int coarsest = coarsestLevel({{0, m_geometry.rows().cells}, {0, m_geometry.columns().cells}});
  const TileKey base = m_tiles.baseKey(m_stage, m_reduction);
  line.range = rangeOfBlockRow(blockRow, std::int64_t{1} << level);
  for (std::int64_t begin = blocks.begin; begin < blocks.end;) {
    const std::int64_t end = std::min(blocks.end, (begin / kTileSize + 1) * kTileSize);
    // Until the tile is there, the next coarser one stands in.
    for (int coarser = level; coarser <= std::max(level, coarsest); ++coarser) {
      const int shift = coarser - level;
      const std::int64_t row = blockRow >> shift;
      const Tile tile = m_tiles.find(valuesKey(base, coarser, row / kTileSize, (begin >> shift) / kTileSize));
      if (!tile) continue;
      for (std::int64_t column = begin; column < end; ++column) {
        const auto index = static_cast<std::size_t>(column - blocks.begin);
        line.values[index] = tile->at(row % kTileSize, (column >> shift) % kTileSize);
        line.known[index] = 1;
      }
      break;
    }
    begin = end;
  }
}

void HeatmapView::updateFrame() {
  if (m_frameIsCurrent) return;
  m_frameIsCurrent = true;
  const QSize size(m_geometry.columns().pixels, m_geometry.rows().pixels);
  if (m_frame.size() != size) m_frame = QImage(size, QImage::Format_RGB32);
  m_frame.fill(palette().color(QPalette::Base));
  const auto& source = m_tiles.source();
  if (!source) return;

  MapPicture picture;
  picture.rows = m_geometry.rows();
  picture.columns = m_geometry.columns();
  picture.block = std::int64_t{1} << m_geometry.level();
  picture.reduction = m_reduction;
  picture.colormap = m_colormap;
  picture.scale = m_scale;
  picture.hatch = isDark(palette()) ? kDarkHatch : kLightHatch;
  if (isMasked(m_stage)) picture.mask = source->mask();
  paintMap(m_frame, picture,
           [this](std::int64_t row, const core::PositionRange& blocks, MapLine& line) { fillLine(row, blocks, line); });
}

void HeatmapView::paintEvent(QPaintEvent*) {
  // A window that comes to another screen keeps its size and is only painted anew.
  if (devicePixelRatioF() != m_viewportRatio) fitViewport();
  QPainter painter(this);
  updateFrame();
  requestTiles();
  painter.drawImage(QRectF(rect()), m_frame);
  if (m_tiles.source()) paintOverlays(painter);
  if (!m_error.isEmpty()) {
    painter.fillRect(rect(), palette().base());
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, m_error);
  }
  Q_EMIT painted();
}

void HeatmapView::paintOverlays(QPainter& painter) const {
  const OverlayPlace place{m_geometry.rows(), m_geometry.columns(), devicePixelRatioF()};
  if (cellsHoldNumbers(place, font())) {
    drawNumbers(painter, place, [this](core::Position row, core::Position column) -> CellText {
      const std::optional<float> value = isVisible({row, column}) ? valueAt({row, column}) : std::nullopt;
      const std::optional<core::ValueRange> range = rangeOfBlockRow(row, 1);
      if (!value || !range) return {};
      return {shortNumber(static_cast<double>(*value)), Colouring(m_colormap, m_scale, *range).color(*value)};
    });
  }
  const auto& source = m_tiles.source();
  if (m_stage == core::Stage::Reassembled) {
    const std::int64_t width = source->extent(core::Stage::Output).columns.size();
    const std::int64_t head = source->head().head.value;
    drawSlice(painter, place, {head * width, (head + 1) * width});
  }
  // A pinned key is no column of a stage without keys; there only its query and the cursor's column are marked.
  const std::optional<Cell> cell = shownCell();
  const std::optional<Cell>& columnCell = hasKeys(m_stage) ? cell : m_hovered;
  drawCrosshair(painter, place, cell ? std::optional(cell->query) : std::nullopt,
                columnCell ? std::optional(columnCell->key) : std::nullopt);
  if (m_pinned && hasKeys(m_stage)) drawPin(painter, place, m_pinned->query, m_pinned->key);
  if (m_drag == Drag::Box) {
    painter.setPen(QPen(kShownAccent, 1, Qt::DashLine));
    painter.drawRect(QRectF(m_pressed, m_dragged).normalized());
  }
  if (hasFocus()) {
    painter.setPen(QPen(kActionAccent, 1));
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void HeatmapView::describe() {
  const std::optional<Cell> cell = shownCell();
  if (!m_tiles.source()) return setAccessibleDescription(tr("No map yet."));
  if (!cell) return setAccessibleDescription(tr("Arrow keys move a cell, Enter pins it, plus and minus zoom."));
  const std::optional<float> value = valueAt(*cell);
  const QString what = !isVisible(*cell) ? tr("masked")
                       : value           ? shortNumber(static_cast<double>(*value))
                                         : tr("computing");
  setAccessibleDescription(tr("row %1, column %2: %3").arg(cell->query).arg(cell->key).arg(what));
}

}  // namespace widgets
