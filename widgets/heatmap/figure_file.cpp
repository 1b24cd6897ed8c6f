#include "widgets/heatmap/figure_file.h"

#include <QCoreApplication>
#include <QString>
#include <algorithm>
#include <span>

namespace widgets {

namespace {

constexpr std::int64_t kMostCopiedPixels = 16'000'000;
constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20U;

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

FigureFacts factsOf(const Figure& figure) { return {figure.software, figure.model, figure.prompt}; }

}  // namespace

std::optional<FigureFormat> figureFormatOf(const std::filesystem::path& path) {
  const QString extension = QString::fromStdString(path.extension().string()).toLower();
  if (extension == ".png") return FigureFormat::Png;
  if (extension == ".svg") return FigureFormat::Svg;
  if (extension == ".pdf") return FigureFormat::Pdf;
  std::error_code error;
  if (std::filesystem::is_character_file(path, error)) return FigureFormat::Png;
  return std::nullopt;
}

EncodedFigure encodeFigure(const Figure& figure, FigureFormat format, int pixelRatio, const core::Progress& progress) {
  const bool isPng = format == FigureFormat::Png;
  const FigureDrawing drawing =
      drawFigure(figure, isPng ? PixelRatio(pixelRatio) : std::nullopt, progress.part(0, 0.8));
  const core::Progress encoding = progress.part(0.8, 1, "picture");
  EncodedFigure encoded{{}, drawing.size, {}, drawing.missingLetters()};
  const FigureFacts facts = factsOf(figure);
  if (isPng) {
    QImage image = figureImage(drawing, pixelRatio);
    encoding.report(0, "picture");
    describe(image, pixelRatio, drawing, facts);
    encoded.bytes = encodePng(image, encoding);
    encoded.pixels = image.size();
  } else {
    encoded.bytes =
        format == FigureFormat::Svg ? encodeSvg(drawing, facts, encoding) : encodePdf(drawing, facts, encoding);
  }
  if (format == FigureFormat::Svg) encoded.notice.clear();  // its texts are drawn with the fonts of who looks at it
  return encoded;
}

void writeBytes(std::string_view bytes, const std::filesystem::path& path, core::Existing existing,
                const core::Progress& progress) {
  core::OutputFile file(path, existing, bytes.size());
  for (std::size_t begin = 0; begin < bytes.size(); begin += kBytesAtOnce) {
    progress.report(static_cast<double>(begin) / static_cast<double>(bytes.size()), "writing");
    file.append(std::as_bytes(std::span(bytes.substr(begin, kBytesAtOnce))));
  }
  file.commit();
}

EncodedFigure writeFigure(const Figure& figure, FigureFormat format, int pixelRatio, const std::filesystem::path& path,
                          core::Existing existing, const core::Progress& progress) {
  core::OutputFile::check(path, existing);
  EncodedFigure encoded = encodeFigure(figure, format, pixelRatio, progress.part(0, 0.95));
  writeBytes({encoded.bytes.data(), static_cast<std::size_t>(encoded.bytes.size())}, path, existing,
             progress.part(0.95, 1));
  return encoded;
}

CopiedFigure copyableFigure(const Figure& figure, int pixelRatio, const core::Progress& progress) {
  for (int ratio = pixelRatio;; --ratio) {
    const FigureDrawing drawing = drawFigure(figure, ratio, progress);
    const auto pixels = static_cast<std::int64_t>(drawing.size.width()) * drawing.size.height() * ratio * ratio;
    if (pixels > kMostCopiedPixels && ratio > 1) continue;
    if (pixels > kMostCopiedPixels) {
      throw core::Error(core::ErrorKind::TooLarge, "The figure has " + std::to_string(pixels) +
                                                       " pixels, more than the " + std::to_string(kMostCopiedPixels) +
                                                       " that are copied; write it to a file, or show fewer maps.");
    }
    QStringList notices;
    if (ratio < pixelRatio) {
      notices << tr(QT_TRANSLATE_NOOP(
                        "Figure",
                        "Copied with %1 instead of %2 pixels a point: with more it would have over %3 million "
                        "pixels. A file can have them."))
                     .arg(ratio)
                     .arg(pixelRatio)
                     .arg(kMostCopiedPixels / 1'000'000);
    }
    notices << drawing.missingLetters();
    notices.removeAll(QString());
    return {figureImage(drawing, ratio), notices.join(' ')};
  }
}

}  // namespace widgets
