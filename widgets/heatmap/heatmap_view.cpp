#include "widgets/heatmap/heatmap_view.h"

#include <QEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "widgets/heatmap/accents.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/tile_order.h"

namespace widgets {

namespace {

constexpr std::size_t kTileBudget = 128u << 20;

}  // namespace

HeatmapView::HeatmapView(JobRunner& jobs, const QString& jobKey, QWidget* parent)
    : QWidget(parent), m_tiles(jobs, jobKey, kTileBudget) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Map"));
  describe();
  connect(&m_tiles, &HeatmapTiles::tileReady, this, [this](const TileKey& key) {
    onTile(key);
    describe();
    Q_EMIT valuesChanged();
  });
  connect(&m_tiles, &HeatmapTiles::failed, this, [this](const QString& sentence) {
    m_error = sentence;
    update();
    Q_EMIT failed(sentence);
  });
}

void HeatmapView::setSource(std::shared_ptr<const core::MapSource> source) {
  const core::MapRect oldExtent = m_tiles.source() ? m_tiles.source()->extent(m_stage) : core::MapRect{};
  m_tiles.setSource(std::move(source));
  m_error.clear();
  const core::MapRect extent = m_tiles.source() ? m_tiles.source()->extent(m_stage) : core::MapRect{};
  const auto outside = [&](const std::optional<Cell>& cell) {
    return cell && (cell->query >= extent.rows.end || cell->key >= extent.columns.end);
  };
  if (outside(m_hovered)) m_hovered.reset();
  if (outside(m_pinned)) m_pinned.reset();
  if (extent != oldExtent) resetExtent();
  coloursChanged();
}

void HeatmapView::setStage(core::Stage stage) {
  if (stage == m_stage) return;
  const auto& source = m_tiles.source();
  const bool sameShape = source && source->extent(stage) == source->extent(m_stage);
  if (hasKeys(stage) != hasKeys(m_stage)) m_hovered.reset();
  m_stage = stage;
  m_error.clear();
  if (!sameShape) resetExtent();
  coloursChanged();
}

void HeatmapView::setColours(const ColourChoice& colours) {
  if (colours == m_colours) return;
  m_colours = colours;
  coloursChanged();
}

void HeatmapView::setShared(std::optional<core::ValueRange> range, std::shared_ptr<const core::ValueRanks> ranks) {
  if (range == m_sharedRange && ranks == m_sharedRanks) return;
  m_sharedRange = range;
  m_sharedRanks = std::move(ranks);
  m_framed.reset();
  m_frameIsCurrent = false;
  update();
}

void HeatmapView::setCellShape(CellShape shape) {
  if (shape == m_cellShape) return;
  m_cellShape = shape;
  resetExtent();
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
                       hasKeys(m_stage) ? m_cellShape : CellShape::Free);
  geometryChanged();
}

void HeatmapView::geometryChanged() {
  m_frameIsCurrent = false;
  update();
  Q_EMIT viewChanged();
}

void HeatmapView::coloursChanged() {
  m_framed.reset();
  m_frameIsCurrent = false;
  update();
  describe();
  Q_EMIT viewChanged();
  Q_EMIT valuesChanged();
}

bool HeatmapView::isExact() const {
  return m_tiles.source() && m_frameIsCurrent && m_tiles.isIdle() && m_error.isEmpty();
}

core::Reduction HeatmapView::reduction() const {
  const bool signedMap = m_tiles.source() && m_tiles.source()->isDifference();
  return signedMap && m_colours.reduction == core::Reduction::Max ? core::Reduction::MaxMagnitude : m_colours.reduction;
}

std::optional<core::ValueRange> HeatmapView::ownRange() const {
  if (!m_tiles.source()) return std::nullopt;
  const Tile tile = m_tiles.find(rangeKey(m_tiles.baseKey(m_stage, reduction())));
  if (!tile) return std::nullopt;
  return widgets::colorRange(m_stage, {tile->values[0], tile->values[1]});
}

std::optional<core::ValueRange> HeatmapView::colorRange() const {
  if (m_colours.range) return m_colours.range;
  return m_sharedRange ? m_sharedRange : ownRange();
}

std::shared_ptr<const core::ValueRanks> HeatmapView::ranks() const {
  if (!m_tiles.source()) return nullptr;
  if (m_sharedRanks) return m_sharedRanks;
  const Tile tile = m_tiles.find(ranksKey(m_tiles.baseKey(m_stage, reduction())));
  return tile ? tile->ranks : nullptr;
}

std::shared_ptr<const ColourTable> HeatmapView::colourTable() const {
  const std::optional<core::ValueRange> range = colorRange();
  if (!range || m_colours.scale == Scale::PerRow) return nullptr;
  const bool byRank = m_colours.scale == Scale::Percentile;
  const std::shared_ptr<const core::ValueRanks> ranks = byRank ? this->ranks() : nullptr;
  if (byRank && !ranks) return nullptr;
  if (!m_table.table || m_table.choice != m_colours || m_table.range != *range || m_table.ranks != ranks) {
    const Colouring colouring(m_colours.colormap, m_colours.scale, *range, ranks.get());
    m_table = {m_colours, *range, ranks, std::make_shared<const ColourTable>(colouring)};
  }
  return m_table.table;
}

bool HeatmapView::isVisible(const Cell& cell) const {
  return !isMasked(m_stage) || (m_tiles.source() && m_tiles.source()->mask().visible(cell.query, cell.key));
}

bool HeatmapView::isHidden(const Cell& cell) const {
  return hasKeys(m_stage) && m_tiles.source() && m_tiles.source()->hidden().contains(cell.key);
}

std::optional<float> HeatmapView::valueAt(const Cell& cell) const {
  if (cell.query < 0 || cell.key < 0) return std::nullopt;
  const TileKey key = valuesKey(m_tiles.baseKey(m_stage, reduction()), 0, cell.query / kTileSize, cell.key / kTileSize);
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
  const core::Reduction reduced = reduction();
  const QString how = reduced == core::Reduction::Mean  ? tr("mean")
                      : reduced == core::Reduction::Max ? tr("max")
                                                        : tr("largest difference");
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

void HeatmapView::reveal(const Cell& cell) {
  m_geometry.reveal(cell.query, cell.key);
  geometryChanged();
}

void HeatmapView::showPart(const core::MapRect& cells) {
  m_geometry.show(cells);
  geometryChanged();
}

void HeatmapView::showAs(const HeatmapView& other) {
  if (m_geometry.showsAs(other.m_geometry)) return;
  m_geometry.showAs(other.m_geometry);
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
  if (event->type() == QEvent::PaletteChange) coloursChanged();
  QWidget::changeEvent(event);
}

void HeatmapView::requestTiles() {
  const auto& source = m_tiles.source();
  if (!source || !m_error.isEmpty()) return;
  const core::MapMask mask = source->mask();
  TileNeed need;
  need.base = m_tiles.baseKey(m_stage, reduction());
  need.extent = source->extent(m_stage);
  need.visible = {m_geometry.rows().visibleCells(), m_geometry.columns().visibleCells()};
  need.level = m_geometry.level();
  need.mask = isMasked(m_stage) ? &mask : nullptr;
  need.ranks = m_colours.scale == Scale::Percentile;
  need.rowRanges = m_colours.scale == Scale::PerRow;
  const std::optional<Cell> cell = shownCell();
  need.focusRow = cell ? cell->query : (need.visible.rows.begin + need.visible.rows.end) / 2;
  need.focusColumn = cell ? cell->key : (need.visible.columns.begin + need.visible.columns.end) / 2;
  std::vector<TileKey> tiles = tilesInOrder(need);
  // The read-out of the cell under the cursor is exact also where pixels are blocks.
  if (cell && need.level > 0) tiles.push_back(valuesKey(need.base, 0, cell->query / kTileSize, cell->key / kTileSize));
  m_tiles.want(tiles);
}

/// Over the rows' own ranges, for Scale::PerRow.
std::optional<core::ValueRange> HeatmapView::rangeOfRows(const core::PositionRange& rows) const {
  const TileKey base = m_tiles.baseKey(m_stage, reduction());
  core::ValueRange range{INFINITY, -INFINITY};
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
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
  const TileKey base = m_tiles.baseKey(m_stage, reduction());
  if (m_colours.scale == Scale::PerRow) {
    const std::int64_t block = std::int64_t{1} << level;
    line.range = rangeOfRows({blockRow * block, std::min(m_geometry.rows().cells, (blockRow + 1) * block)});
  }
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

MapPicture HeatmapView::picture() const {
  const auto& source = m_tiles.source();
  MapPicture picture;
  picture.rows = m_geometry.rows();
  picture.columns = m_geometry.columns();
  picture.block = std::int64_t{1} << m_geometry.level();
  picture.reduction = reduction();
  picture.colormap = m_colours.colormap;
  picture.colours = colourTable();
  picture.perRow = m_colours.scale == Scale::PerRow;
  picture.hatch = isDark(palette()) ? kDarkHatch : kLightHatch;
  if (isMasked(m_stage)) picture.mask = source->mask();
  if (hasKeys(m_stage)) picture.hidden = source->hidden();
  return picture;
}

/// The codes of a tile's values, made once for the colours at hand. They stay until the next frame at least.
const ColourTable::Code* HeatmapView::codesOf(const Tile& tile, const ColourTable& colours) const {
  const auto [entry, isNew] = m_codes.try_emplace(tile);
  if (isNew) {
    entry->second.reserve(tile->values.size());
    for (const float value : tile->values) entry->second.push_back(colours.code(value));
    m_codeCount += entry->second.size();
  }
  return entry->second.data();
}

/// The tile that has the codes of a part of a row of blocks: the one of this level, or until it is there the next
/// coarser one; without any its codes are null.
HeatmapView::CodeTile HeatmapView::codeTile(std::int64_t blockRow, std::int64_t block) const {
  const int level = m_geometry.level();
  const int coarsest = coarsestLevel({{0, m_geometry.rows().cells}, {0, m_geometry.columns().cells}});
  const TileKey base = m_tiles.baseKey(m_stage, reduction());
  for (int coarser = level; coarser <= std::max(level, coarsest); ++coarser) {
    const int shift = coarser - level;
    const Tile tile =
        m_tiles.find(valuesKey(base, coarser, (blockRow >> shift) / kTileSize, (block >> shift) / kTileSize));
    if (tile) return {codesOf(tile, *m_table.table), tile->columns, shift};
  }
  return {};
}

/// row: what the call before found, for the rows of blocks that lie in the same tiles.
void HeatmapView::fillCodes(std::int64_t blockRow, const core::PositionRange& blocks, CodeRow& row,
                            ColourTable::Code* codes) const {
  if (row.tileRow != blockRow / kTileSize) row = {blockRow / kTileSize, {}};
  for (std::int64_t begin = blocks.begin; begin < blocks.end;) {
    const std::int64_t end = std::min(blocks.end, (begin / kTileSize + 1) * kTileSize);
    const auto [entry, isNew] = row.tiles.try_emplace(begin / kTileSize);
    if (isNew) entry->second = codeTile(blockRow, begin);
    const CodeTile& tile = entry->second;
    ColourTable::Code* out = codes + (begin - blocks.begin);
    const ColourTable::Code* line =
        tile.codes ? tile.codes + (blockRow >> tile.shift) % kTileSize * tile.columns : nullptr;
    if (!line) {
      std::fill_n(out, end - begin, kNotKnown);
    } else if (tile.shift == 0) {
      std::copy_n(line + begin % kTileSize, end - begin, out);
    } else {
      for (std::int64_t column = begin; column < end; ++column) *out++ = line[(column >> tile.shift) % kTileSize];
    }
    begin = end;
  }
}

void HeatmapView::paintFrame(const core::PositionRange& pixelRows, const core::PositionRange& pixelColumns) {
  MapPicture shown = picture();
  // As many codes as fit into a part of the tiles' budget; then from new, which costs a frame now and then.
  constexpr std::size_t kMostCodes = std::size_t{16} << 20U;
  if (m_codesOf != shown.colours || m_codeCount > kMostCodes) {
    m_codes.clear();
    m_codeCount = 0;
    m_codesOf = shown.colours;
  }
  CodeRow tiles;
  shown.codes = [this, &tiles](std::int64_t row, const core::PositionRange& blocks, ColourTable::Code* codes) {
    fillCodes(row, blocks, tiles, codes);
  };
  paintMap(
      m_frame, shown,
      [this](std::int64_t row, const core::PositionRange& blocks, MapLine& line) { fillLine(row, blocks, line); },
      pixelRows, pixelColumns);
}

/// Moves the frame when the map was moved by whole pixels, and paints what came in at the sides.
bool HeatmapView::scrollFrame() {
  if (!m_framed) return false;
  const auto& [oldRows, oldColumns] = *m_framed;
  const AxisMapping& rows = m_geometry.rows();
  const AxisMapping& columns = m_geometry.columns();
  const auto moved = [](const AxisMapping& from, const AxisMapping& to) -> std::optional<int> {
    const double by = from.offset - to.offset;
    const bool same = from.cells == to.cells && from.pixels == to.pixels && from.scale == to.scale &&
                      from.end() == from.pixels && to.end() == to.pixels;
    if (!same || by != std::round(by) || std::abs(by) >= to.pixels) return std::nullopt;
    return static_cast<int>(by);
  };
  const std::optional<int> down = moved(oldRows, rows);
  const std::optional<int> right = moved(oldColumns, columns);
  if (!down || !right) return false;
  const int width = columns.pixels;
  const int height = rows.pixels;
  const auto line = [this](int y) { return reinterpret_cast<Rgb*>(m_frame.scanLine(y)); };
  const int kept = width - std::abs(*right);
  for (int i = 0; i < height - std::abs(*down); ++i) {
    const int to = *down > 0 ? height - 1 - i : i;  // in the order in which nothing is written over before it is read
    std::memmove(line(to) + std::max(0, *right), line(to - *down) + std::max(0, -*right),
                 static_cast<std::size_t>(kept) * sizeof(Rgb));
  }
  const core::PositionRange newRows =
      *down > 0 ? core::PositionRange{0, *down} : core::PositionRange{height + *down, height};
  const core::PositionRange newColumns =
      *right > 0 ? core::PositionRange{0, *right} : core::PositionRange{width + *right, width};
  if (*down != 0) paintFrame(newRows, {0, width});
  if (*right != 0) paintFrame({0, height}, newColumns);
  return true;
}

/// Only what the tile covers is painted anew, when the rest of the frame is as it should be.
void HeatmapView::onTile(const TileKey& key) {
  update();
  const bool isPart = key == valuesKey(m_tiles.baseKey(m_stage, reduction()), m_geometry.level(), key.row, key.column);
  if (!isPart || !m_frameIsCurrent || !m_framed) {
    m_frameIsCurrent = false;
    m_framed.reset();
    return;
  }
  const std::int64_t cells = kTileSize << key.level;
  const auto pixels = [cells](const AxisMapping& axis, std::int64_t tile) {
    const auto inside = [&axis](double pixel) {
      return static_cast<int>(std::clamp(pixel, 0.0, static_cast<double>(axis.pixels)));
    };
    return core::PositionRange{inside(std::floor(axis.pixelOf(static_cast<double>(tile * cells))) - 1),
                               inside(std::ceil(axis.pixelOf(static_cast<double>((tile + 1) * cells))) + 1)};
  };
  paintFrame(pixels(m_geometry.rows(), key.row), pixels(m_geometry.columns(), key.column));
}

void HeatmapView::updateFrame() {
  if (m_frameIsCurrent) return;
  m_frameIsCurrent = true;
  const QSize size(m_geometry.columns().pixels, m_geometry.rows().pixels);
  if (m_frame.size() != size) {
    m_frame = QImage(size, QImage::Format_RGB32);
    m_framed.reset();
  }
  if (!m_tiles.source()) {
    m_frame.fill(palette().color(QPalette::Base));
    return;
  }
  if (!scrollFrame()) {
    m_frame.fill(palette().color(QPalette::Base));
    paintFrame({0, size.height()}, {0, size.width()});
  }
  m_framed.emplace(m_geometry.rows(), m_geometry.columns());
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

std::optional<Rgb> HeatmapView::colorAt(const Cell& cell, float value) const {
  if (m_colours.scale == Scale::PerRow) {
    const std::optional<core::ValueRange> range = rangeOfRows({cell.query, cell.query + 1});
    if (!range) return std::nullopt;
    return Colouring(m_colours.colormap, Scale::PerRow, *range).color(value);
  }
  const std::shared_ptr<const ColourTable> table = colourTable();
  return table ? std::optional(table->color(value)) : std::nullopt;
}

void HeatmapView::paintOverlays(QPainter& painter) {
  const OverlayPlace place{m_geometry.rows(), m_geometry.columns(), devicePixelRatioF()};
  if (cellsHoldNumbers(place, font())) {
    drawNumbers(painter, place, [this](core::Position row, core::Position column) -> CellText {
      const Cell cell{row, column};
      const std::optional<float> value = isVisible(cell) && !isHidden(cell) ? valueAt(cell) : std::nullopt;
      const std::optional<Rgb> ground = value ? colorAt(cell, *value) : std::nullopt;
      return ground ? CellText{shortNumber(static_cast<double>(*value)), *ground} : CellText{};
    });
  }
  const auto& source = m_tiles.source();
  if (const auto slice = source->slice(); slice && m_stage == core::Stage::Reassembled)
    drawSlice(painter, place, *slice);
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
  const Tile coarsest =
      m_tiles.find(valuesKey(m_tiles.baseKey(m_stage, reduction()), coarsestLevel(source->extent(m_stage)), 0, 0));
  m_inset.paint(painter, rect(), picture(), coarsest, devicePixelRatioF());
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
                       : isHidden(*cell) ? tr("hidden")
                       : value           ? shortNumber(static_cast<double>(*value))
                                         : tr("computing");
  setAccessibleDescription(tr("row %1, column %2: %3").arg(cell->query).arg(cell->key).arg(what));
}

}  // namespace widgets
