#include "widgets/heatmap/figure_drawing.h"

#include <QCoreApplication>
#include <QPaintEngine>
#include <algorithm>

#include "core/error.h"

namespace widgets {

namespace {

constexpr int kEnlargedSide = 2048;

template <class... Functions>
struct Visitor : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

void paintShape(QPainter& painter, const FigureShape& shape) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(shape.fill);
  painter.drawPolygon(shape.outline);
}

void paintLines(QPainter& painter, const FigureLines& lines) {
  painter.setPen(QPen(lines.color, lines.width, Qt::SolidLine, Qt::FlatCap));
  painter.drawLines(lines.lines.data(), static_cast<int>(lines.lines.size()));
}

/// Programs that show a PDF may smooth what they enlarge.
void paintPicture(QPainter& painter, const FigurePicture& picture) {
  const bool isPdf = painter.paintEngine()->type() == QPaintEngine::Pdf;
  const int times = isPdf ? enlargement(picture.image.size()) : 1;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(picture.place, enlarged(picture.image, times));
}

void paintLabel(QPainter& painter, const FigureLabel& label) {
  const double width = textWidth(label.font, label.text);
  const double before = label.side == FigureLabel::Side::Left    ? 0
                        : label.side == FigureLabel::Side::Right ? width
                                                                 : width / 2;
  const double below = baselineBelowMiddle(label.font);
  const bool isLevel = label.direction == FigureLabel::Direction::Level;
  painter.setPen(label.color);
  drawFigureText(painter, label.anchor + (isLevel ? QPointF(-before, below) : QPointF(below, before)),
                 isLevel ? 0 : -90, label.font, label.text);
}

}  // namespace

void FigureDrawing::paint(QPainter& painter) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setRenderHint(QPainter::LosslessImageRendering);  // a PDF's pictures would be JPEGs
  painter.fillRect(QRectF(QPointF(), QSizeF(size)), ground);
  const Visitor paintItem{[&](const FigureShape& shape) { paintShape(painter, shape); },
                          [&](const FigureLines& lines) { paintLines(painter, lines); },
                          [&](const FigurePicture& picture) { paintPicture(painter, picture); },
                          [&](const FigureLabel& label) { paintLabel(painter, label); }};
  for (const FigureItem& item : items) std::visit(paintItem, item);
  painter.restore();
}

QString FigureDrawing::missingLetters() const {
  const auto tr = [](const char* text) { return QCoreApplication::translate("Figure", text); };
  QString missing;
  int texts = 0;
  for (const FigureItem& item : items) {
    const auto* label = std::get_if<FigureLabel>(&item);
    if (!label) continue;
    const QString own = undrawable(label->font, label->text);
    if (own.isEmpty()) continue;
    ++texts;
    if (missing.isEmpty()) missing = own;
  }
  if (texts == 0) return {};
  const QString letter = QString::fromUcs4(missing.toStdU32String().data(), 1);
  if (textWidth(FigureFont::Caption, QStringLiteral("a")) > 0 && undrawable(FigureFont::Caption, "a").isEmpty()) {
    return (texts == 1 ? tr(QT_TRANSLATE_NOOP("Figure",
                                              "%1 text of the figure has letters that no installed font has, such as "
                                              "%2; boxes stand for them."))
                       : tr(QT_TRANSLATE_NOOP("Figure",
                                              "%1 texts of the figure have letters that no installed font has, such as "
                                              "%2; boxes stand for them.")))
        .arg(texts)
        .arg(letter);
  }
  return tr(QT_TRANSLATE_NOOP("Figure", "No font is installed: boxes stand for all letters of the figure."));
}

QImage enlarged(const QImage& image, int times) {
  if (times <= 1) return image;
  QImage large(image.size() * times, image.format());
  if (large.isNull()) {
    throw core::Error(core::ErrorKind::OutOfMemory, "There is not enough memory for a picture of " +
                                                        std::to_string(image.width() * times) + " x " +
                                                        std::to_string(image.height() * times) + " pixels.");
  }
  // By hand: QImage::scaled() rounds in steps of 1/65536 and is a pixel off here and there.
  for (int y = 0; y < image.height(); ++y) {
    const auto* from = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    auto* to = reinterpret_cast<QRgb*>(large.scanLine(y * times));
    for (int x = 0; x < image.width(); ++x) to = std::fill_n(to, times, from[x]);
    for (int i = 1; i < times; ++i)
      std::copy_n(large.constScanLine(y * times), large.bytesPerLine(), large.scanLine(y * times + i));
  }
  return large;
}

int enlargement(const QSize& size) { return std::max(1, kEnlargedSide / std::max({1, size.width(), size.height()})); }

}  // namespace widgets
