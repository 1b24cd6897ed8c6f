#include "widgets/heatmap/figure.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "core/map_sums.h"
#include "widgets/heatmap/figure_layout.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/map_words.h"

namespace widgets {

namespace {

constexpr int kMostPixels = 4096;         // a side, of a file without pixels of its own
constexpr double kLargestCell = 36;       // points
constexpr double kAboveTarget = 4 / 3.0;  // how much longer than wanted a side may be, for whole pixels
constexpr std::int64_t kSquareUpTo = 4;   // a map longer than that has cells that are not square

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

/// Points of a map's longer side, by how many stand side by side.
double targetSide(int across) { return across == 1 ? 440 : across == 2 ? 300 : 220; }

int mapsAcross(std::size_t maps) {
  return maps <= 3 ? static_cast<int>(maps) : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(maps))));
}

std::int64_t blocksIn(std::int64_t cells, std::int64_t block) { return (cells + block - 1) / block; }

/// From what is shown to the size of blocks and of pixels.
class Sizes {
 public:
  Sizes(const core::MapRect& part, core::Stage stage, int across, PixelRatio ratio)
      : m_side(targetSide(across)), m_ratio(ratio) {
    const std::int64_t most = ratio ? static_cast<std::int64_t>(m_side * kAboveTarget * *ratio) : kMostPixels / across;
    block = {blocksIn(part.rows.size(), most), blocksIn(part.columns.size(), most)};
    const std::int64_t longer = std::max(part.rows.size(), part.columns.size());
    const std::int64_t shorter = std::min(part.rows.size(), part.columns.size());
    const bool isSquare = core::hasKeys(stage) && longer <= kSquareUpTo * shorter;
    if (isSquare) block.rows = block.columns = std::max(block.rows, block.columns);
    const std::int64_t rows = blocksIn(part.rows.size(), block.rows);
    const std::int64_t columns = blocksIn(part.columns.size(), block.columns);
    const double common = pixelSize(std::max(rows, columns));
    pixel = isSquare ? QSizeF(common, common) : QSizeF(pixelSize(columns), pixelSize(rows));
  }

  FigureBlock block;
  QSizeF pixel;  // points

 private:
  double pixelSize(std::int64_t count) const {
    const double wanted = std::min(kLargestCell, m_side / static_cast<double>(count));
    return m_ratio ? std::max(1.0, std::round(wanted * *m_ratio)) / *m_ratio : wanted;
  }

  double m_side;
  PixelRatio m_ratio;
};

core::MapRect shownPart(const Figure& figure) {
  const core::MapRect all = figure.maps.front().map->extent(figure.stage);
  for (const FigureMap& map : figure.maps) {
    if (map.map->extent(figure.stage) == all) continue;
    throw core::Error(core::ErrorKind::Mismatch,
                      "The maps of a figure must be of one size; one has other numbers of rows or columns.");
  }
  const core::MapRect part = figure.part.value_or(all);
  const auto isInside = [](const core::PositionRange& range, const core::PositionRange& whole) {
    return whole.begin <= range.begin && range.begin < range.end && range.end <= whole.end;
  };
  if (!isInside(part.rows, all.rows) || !isInside(part.columns, all.columns)) {
    const auto words = [](const core::PositionRange& range) {
      return std::to_string(range.begin) + ":" + std::to_string(range.end);
    };
    throw core::Error(core::ErrorKind::Mismatch, "The map has the rows " + words(all.rows) + " and the columns " +
                                                     words(all.columns) + "; the rows " + words(part.rows) +
                                                     " and columns " + words(part.columns) + " are not a part of it.");
  }
  return part;
}

core::Reduction reductionOf(const Figure& figure) {
  const bool isDifference = figure.maps.front().map->isDifference();
  return isDifference && figure.colours.reduction == core::Reduction::Max ? core::Reduction::MaxMagnitude
                                                                          : figure.colours.reduction;
}

core::ValueRange sharedRange(const Figure& figure, const core::Progress& progress) {
  if (figure.colours.range) return *figure.colours.range;
  if (figure.span) return *figure.span;
  std::optional<core::ValueRange> all;
  const auto count = static_cast<double>(figure.maps.size());
  for (std::size_t i = 0; i < figure.maps.size(); ++i) {
    const double done = static_cast<double>(i) / count;
    const core::ValueRange own =
        colorRange(figure.stage, figure.maps[i].map->range(figure.stage, progress.part(done, done + 1 / count)));
    all = all ? core::ValueRange{std::min(all->low, own.low), std::max(all->high, own.high)} : own;
  }
  return *all;
}

QString percent(double share) { return QString::number(100 * share, 'g', 3) + QStringLiteral(" %"); }

/// "hidden: keys 0-3 (61.2 % of the attention)"
QString hiddenKeys(const Figure& figure, const core::Progress& progress) {
  const core::KeySet hidden = figure.maps.front().map->hidden();
  if (hidden.empty() || !core::hasKeys(figure.stage)) return {};
  const bool isOne = hidden.keys().size() == 1;
  QString text =
      (isOne ? tr(QT_TRANSLATE_NOOP("Figure", "key %1 hidden")) : tr(QT_TRANSLATE_NOOP("Figure", "keys %1 hidden")))
          .arg(QString::fromStdString(hidden.text()));
  if (figure.maps.front().map->isDifference()) return text;
  QStringList masses;
  for (const FigureMap& map : figure.maps) masses << percent(core::hiddenMass(*map.map, progress));
  return text + tr(QT_TRANSLATE_NOOP("Figure", " (%1 of the attention)")).arg(masses.join(", "));
}

QString reductionText(const FigureBlock& block, core::Reduction reduction) {
  const QString how = reduction == core::Reduction::Mean  ? tr(QT_TRANSLATE_NOOP("Figure", "mean"))
                      : reduction == core::Reduction::Max ? tr(QT_TRANSLATE_NOOP("Figure", "max"))
                                                          : tr(QT_TRANSLATE_NOOP("Figure", "largest difference"));
  return tr(QT_TRANSLATE_NOOP("Figure", "1 pixel = %1 × %2 cells, %3")).arg(block.rows).arg(block.columns).arg(how);
}

QString partText(const Figure& figure, const core::MapRect& part) {
  if (part == figure.maps.front().map->extent(figure.stage)) return {};
  return tr(QT_TRANSLATE_NOOP("Figure", "rows %1 to %2, columns %3 to %4"))
      .arg(part.rows.begin)
      .arg(part.rows.end - 1)
      .arg(part.columns.begin)
      .arg(part.columns.end - 1);
}

QStringList allSettings(const Figure& figure, const FigureMaps& maps, const core::Progress& progress) {
  QStringList phrases = figure.settings;
  phrases << stageName(figure.stage)
          << tr(QT_TRANSLATE_NOOP("Figure", "%1 scale")).arg(scaleName(figure.colours.scale));
  if (figure.colours.range && maps.colouring)
    phrases << tr(QT_TRANSLATE_NOOP("Figure", "colours from %1 to %2"))
                   .arg(shortNumber(maps.colouring->valueAt(0)), shortNumber(maps.colouring->valueAt(1)));
  phrases << hiddenKeys(figure, progress) << partText(figure, maps.part);
  if (!maps.block.isCell()) phrases << reductionText(maps.block, reductionOf(figure));
  phrases.removeAll(QString());
  return phrases;
}

}  // namespace

FigureDrawing drawFigure(const Figure& figure, PixelRatio pixels, const core::Progress& progress) {
  const core::MapRect part = shownPart(figure);
  const int across = mapsAcross(figure.maps.size());
  const Sizes sizes(part, figure.stage, across, pixels);
  FigureMaps maps{part, sizes.block, sizes.pixel, across, {}, nullptr, {}};

  FigurePart shown{figure.stage, part, sizes.block, reductionOf(figure), figure.colours.colormap, nullptr};
  std::shared_ptr<const core::ValueRanks> ranks = figure.ranks;  // outlives the colouring, which points at it
  if (figure.colours.scale != Scale::PerRow) {
    const core::ValueRange range = sharedRange(figure, progress.part(0, 0.3));
    if (figure.colours.scale == Scale::Percentile && !ranks)
      ranks = std::make_shared<const core::ValueRanks>(
          core::ValueRanks::of(*figure.maps.front().map, figure.stage, progress.part(0.3, 0.45)));
    maps.colouring =
        std::make_shared<const Colouring>(figure.colours.colormap, figure.colours.scale, range, ranks.get());
    shown.colours = std::make_shared<const ColourTable>(*maps.colouring);
  }
  for (std::size_t i = 0; i < figure.maps.size(); ++i) {
    const double each = 0.5 / static_cast<double>(figure.maps.size());
    const double done = 0.45 + each * static_cast<double>(i);
    maps.cells.push_back(figureCells(*figure.maps[i].map, shown, progress.part(done, done + each)));
  }
  maps.settings = allSettings(figure, maps, progress.part(0.95, 1));
  return layoutFigure(figure, maps);
}

QStringList runSettings(const core::Capture& capture, const std::vector<core::Layer>& layers) {
  const core::ModelConfig& config = capture.model().config;
  QStringList phrases;
  phrases << QString::fromStdString(capture.model().name) << QString::fromStdString(config.family)
          << (capture.size() == 1 ? tr(QT_TRANSLATE_NOOP("Figure", "1 token"))
                                  : tr(QT_TRANSLATE_NOOP("Figure", "%1 tokens")).arg(capture.size()));
  QString mask = capture.facts().settings.mask == core::MaskKind::Causal
                     ? tr(QT_TRANSLATE_NOOP("Figure", "causal mask"))
                     : tr(QT_TRANSLATE_NOOP("Figure", "bidirectional mask"));
  QStringList windows;
  for (const core::Layer layer : layers) {
    const core::Window window = capture.mask(layer).window();
    const bool isNarrow = window.limited() && window.left < capture.size() - 1;
    const QString width = isNarrow ? tr(QT_TRANSLATE_NOOP("Figure", "window %1 back")).arg(window.left) : QString();
    if (!width.isEmpty() && !windows.contains(width)) windows << width;
  }
  if (!windows.isEmpty()) mask += ", " + windows.join(", ");
  phrases << mask;
  QStringList differences;
  for (const std::string& difference : capture.facts().differences) differences << QString::fromStdString(difference);
  if (!differences.isEmpty())
    phrases << tr(QT_TRANSLATE_NOOP("Figure", "not as trained: %1")).arg(differences.join(", "));
  return phrases;
}

}  // namespace widgets
