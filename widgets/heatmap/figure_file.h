// Figures as files and for the clipboard.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/output_file.h"
#include "widgets/heatmap/figure.h"
#include "widgets/heatmap/figure_encoders.h"

namespace widgets {

enum class FigureFormat { Png, Svg, Pdf };

constexpr int kUsualPixelRatio = 2;
constexpr int kLargestPixelRatio = 4;

/// By the file's extension, in any case; nullopt for another one. A device, which has none, takes a PNG.
std::optional<FigureFormat> figureFormatOf(const std::filesystem::path& path);

struct EncodedFigure {
  QByteArray bytes;
  QSize points;
  QSize pixels;    ///< of a PNG
  QString notice;  ///< a sentence on letters that no font has; empty where all is well
};

/// pixelRatio: of a PNG, 1 to 4; its resolution is 72 dpi times it. Heavy. Errors: those of drawFigure() and of the
/// encoders.
EncodedFigure encodeFigure(const Figure& figure, FigureFormat format, int pixelRatio, const core::Progress& progress);

/// The same as a file that appears whole or not at all. Errors: also Io, with the bytes that are needed.
EncodedFigure writeFigure(const Figure& figure, FigureFormat format, int pixelRatio, const std::filesystem::path& path,
                          core::Existing existing, const core::Progress& progress);

/// Bytes that are known, as a file, in pieces between which `progress` may cancel. Errors: Io, Cancelled.
void writeBytes(std::string_view bytes, const std::filesystem::path& path, core::Existing existing,
                const core::Progress& progress);

struct CopiedFigure {
  QImage image;
  QString notice;  ///< a sentence where it has fewer pixels than asked for, or letters that no font has
};

/// For the clipboard, which other programs read whole: at most 16 million pixels. Heavy. Errors: as encodeFigure().
CopiedFigure copyableFigure(const Figure& figure, int pixelRatio, const core::Progress& progress);

}  // namespace widgets
