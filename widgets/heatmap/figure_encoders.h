// A drawn figure as the bytes of a file.
#pragma once

#include <QByteArray>

#include "core/progress.h"
#include "widgets/heatmap/figure_drawing.h"

namespace widgets {

/// What a file says of itself. Empty ones are left out.
struct FigureFacts {
  QString software;
  QString model;
  QString prompt;
};

/// Errors: TooLarge, with the numbers, when it would be over 30,000 pixels wide or high; OutOfMemory.
QImage figureImage(const FigureDrawing& drawing, int pixelRatio);

/// As they are, with pHYs and tEXt chunks (iTXt where they are not Latin). Errors: OutOfMemory, Cancelled.
QByteArray encodePng(const QImage& image, const core::Progress& progress);

/// The image with 72 pixels an inch a point, and what the file says of itself.
void describe(QImage& image, int pixelRatio, const FigureDrawing& drawing, const FigureFacts& facts);

/// Texts are <text>, maps <image> of crisp pixels. Errors: OutOfMemory, Cancelled.
QByteArray encodeSvg(const FigureDrawing& drawing, const FigureFacts& facts, const core::Progress& progress);

/// One page of the figure's size, fonts embedded. Errors: OutOfMemory, Cancelled.
QByteArray encodePdf(const FigureDrawing& drawing, const FigureFacts& facts, const core::Progress& progress);

}  // namespace widgets
