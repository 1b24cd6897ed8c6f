// What a figure is drawn of: shapes, lines, pictures and texts at their places, in points.
#pragma once

#include <QColor>
#include <QImage>
#include <QLineF>
#include <QPainter>
#include <QPolygonF>
#include <variant>
#include <vector>

#include "widgets/heatmap/figure_text.h"

namespace widgets {

struct FigureShape {
  QPolygonF outline;
  QColor fill;
};

struct FigureLines {
  std::vector<QLineF> lines;
  QColor color;
  double width = 0.5;
};

/// Its pixels stay crisp squares, however large they are.
struct FigurePicture {
  QRectF place;
  QImage image;
};

/// Left: the anchor is where the text begins; Right: where it ends. Turned text reads upwards.
struct FigureLabel {
  enum class Side { Left, Middle, Right };
  enum class Direction { Level, Upwards };
  QPointF anchor;  ///< on the middle of the line of text
  QString text;
  FigureFont font = FigureFont::Label;
  QColor color;
  Side side = Side::Left;
  Direction direction = Direction::Level;
};

using FigureItem = std::variant<FigureShape, FigureLines, FigurePicture, FigureLabel>;

/// Immutable once made, and the same for every kind of file.
struct FigureDrawing {
  QSize size;
  QColor ground;
  std::vector<FigureItem> items;  ///< in the order of drawing
  QString title;
  QString settings;  ///< as in its last lines

  /// The painter's unit is a point.
  void paint(QPainter& painter) const;

  /// Texts with characters that no installed font has, one of them named: a sentence; empty when there are none.
  QString missingLetters() const;
};

/// Each pixel as `times` x `times` of them: for programs that smooth a picture that they enlarge. The image is of 32
/// bits. Errors: OutOfMemory.
QImage enlarged(const QImage& image, int times);

/// By how much a picture is enlarged in a file: to about 2048 pixels, where that makes it larger.
int enlargement(const QSize& size);

}  // namespace widgets
