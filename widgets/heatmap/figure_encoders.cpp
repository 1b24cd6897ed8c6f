#include "widgets/heatmap/figure_encoders.h"

#include <QBuffer>
#include <QImageWriter>
#include <QPageSize>
#include <QPdfWriter>
#include <cmath>

namespace widgets {

namespace {

constexpr int kLargestSide = 30000;  // pixels; image formats and viewers end at 32,767
constexpr double kPointsPerMetre = 72 / 0.0254;

/// Takes what an encoder writes, and refuses more when the work is cancelled.
class CancellableBuffer : public QBuffer {
 public:
  explicit CancellableBuffer(const core::Progress& progress) : m_progress(progress) { open(QIODevice::WriteOnly); }

  bool isCancelled() const { return m_isCancelled; }

 protected:
  // Exceptions may not pass through the encoders, which are C.
  qint64 writeData(const char* bytes, qint64 count) override {
    try {
      m_progress.report(0.5, "picture");
    } catch (const core::Error&) {
      m_isCancelled = true;
    }
    return m_isCancelled ? -1 : QBuffer::writeData(bytes, count);
  }

 private:
  const core::Progress& m_progress;
  bool m_isCancelled = false;
};

[[noreturn]] void failOnMemory(const char* format) {
  throw core::Error(core::ErrorKind::OutOfMemory,
                    std::string("There is not enough memory to make the picture a ") + format + "; make it smaller.");
}

}  // namespace

QImage figureImage(const FigureDrawing& drawing, int pixelRatio) {
  const QSize size = drawing.size * pixelRatio;
  const std::string numbers = std::to_string(size.width()) + " x " + std::to_string(size.height()) + " pixels";
  if (std::max(size.width(), size.height()) > kLargestSide) {
    throw core::Error(core::ErrorKind::TooLarge,
                      "The figure would have " + numbers +
                          ", over 30000 in a direction; choose fewer pixels a point, or fewer "
                          "maps.");
  }
  QImage image(size, QImage::Format_RGB32);
  if (image.isNull())
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for a picture of " + numbers + ".");
  QPainter painter(&image);
  painter.scale(pixelRatio, pixelRatio);
  drawing.paint(painter);
  painter.end();
  return image;
}

void describe(QImage& image, int pixelRatio, const FigureDrawing& drawing, const FigureFacts& facts) {
  const int density = static_cast<int>(std::lround(kPointsPerMetre * pixelRatio));
  image.setDotsPerMeterX(density);
  image.setDotsPerMeterY(density);
  const auto add = [&image](const char* key, const QString& text) {
    if (!text.isEmpty()) image.setText(key, text);
  };
  add("Software", facts.software);
  add("Title", drawing.title);
  add("Model", facts.model);
  add("Prompt", facts.prompt);
  add("Settings", drawing.settings);
}

QByteArray encodePng(const QImage& image, const core::Progress& progress) {
  CancellableBuffer buffer(progress);
  const bool isWritten = QImageWriter(&buffer, "png").write(image);
  if (buffer.isCancelled()) progress.report(0.5, "picture");
  if (!isWritten) failOnMemory("PNG");
  return buffer.data();
}

QByteArray encodePdf(const FigureDrawing& drawing, const FigureFacts& facts, const core::Progress& progress) {
  CancellableBuffer buffer(progress);
  QPdfWriter writer(&buffer);
  writer.setResolution(72);
  writer.setPageSize(QPageSize(QSizeF(drawing.size), QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins({});
  writer.setTitle(drawing.title);
  writer.setCreator(facts.software);
  QPainter painter;
  if (!painter.begin(&writer)) failOnMemory("PDF");
  drawing.paint(painter);
  const bool isWritten = painter.end();
  if (buffer.isCancelled()) progress.report(0.5, "picture");
  if (!isWritten) failOnMemory("PDF");
  return buffer.data();
}

}  // namespace widgets
