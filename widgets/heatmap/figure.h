// A figure for a paper: maps with title, axes, tokens, colour bar, legend, and the settings that they were made with.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "core/capture.h"
#include "core/combined_maps.h"
#include "core/value_ranks.h"
#include "widgets/heatmap/figure_drawing.h"
#include "widgets/state/colouring.h"

namespace widgets {

struct FigureMap {
  QString title;  ///< above it where there are several
  core::MapPtr map;
  std::vector<float> rowProfile = {};  ///< of a difference: total variation of each row (core/map_sums.h); empty: none
};

enum class FigureGround { Light, Dark };

/// What is shown; a value, made on the GUI thread and drawn on a worker.
struct Figure {
  std::vector<FigureMap> maps;  ///< at least one, of one extent
  core::Stage stage = core::Stage::Weights;
  /// Without a range by hand the maps share what all of their values span: one value, one colour.
  ColourChoice colours = {};
  std::optional<core::ValueRange> span = {};           ///< that of the maps where it is known already
  std::shared_ptr<const core::ValueRanks> ranks = {};  ///< of Scale::Percentile, likewise; those of the first map
  std::optional<core::MapRect> part = {};              ///< the cells shown; nullopt: all

  QStringList rowLabels = {};     ///< of the whole map: "17 · the"
  QStringList columnLabels = {};  ///< empty: numbers
  QString title = {};
  QStringList settings = {};  ///< phrases below the maps: model, mask, window; those of the map itself are added
  FigureGround ground = FigureGround::Light;

  /// For the file's own description.
  QString software = {};
  QString model = {};
  QString prompt = {};
};

/// Pixels a point; nullopt: a file without pixels of its own.
using PixelRatio = std::optional<int>;

/// Each cell is a whole number of pixels. Where a map has more cells than there is room for (about 600 points a side
/// for one map, 4096 pixels where the file has none of its own), a pixel stands for a whole block of them, and the
/// settings say so: "1 pixel = 8 × 8 cells, max". Heavy; needs a QGuiApplication, and may run on any thread. Errors:
/// those of core::MapSource; Mismatch when a part is empty or not inside the maps, or maps differ in extent.
FigureDrawing drawFigure(const Figure& figure, PixelRatio pixels, const core::Progress& progress);

/// The phrases that a run adds to Figure::settings: model, tokens, mask and windows of the layers, what differs from
/// training.
QStringList runSettings(const core::Capture& capture, const std::vector<core::Layer>& layers);

}  // namespace widgets
