#include "widgets/heatmap/figure_text.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QGlyphRun>
#include <QPaintEngine>
#include <QRawFont>
#include <QTextBoundaryFinder>
#include <QTextLayout>
#include <algorithm>
#include <array>

namespace widgets {

namespace {

struct Style {
  int size;  // points
  bool bold;
  bool fixed;  // all letters of one width
};

constexpr std::array<Style, 6> kStyles{{
    {11, true, false},  // Title
    {8, true, false},   // Subtitle
    {8, false, false},  // Name
    {7, false, true},   // Label
    {7, false, false},  // Number
    {7, false, false},  // Caption
}};

constexpr int kPictureSize = 96;  // pixels of a letter that is a picture

const Style& styleOf(FigureFont font) { return kStyles.at(static_cast<std::size_t>(font)); }

bool hasFonts(const QFont& font) { return !QFontInfo(font).family().isEmpty(); }

/// Fonts of pictures have tables of their own for them.
bool isOfPictures(const QRawFont& font) {
  return !font.fontTable("CBLC").isEmpty() || !font.fontTable("sbix").isEmpty() || !font.fontTable("COLR").isEmpty();
}

bool drawnByPictures(const QFont& font, const QString& letter) {
  // Below arrows and signs there are none.
  if (std::all_of(letter.begin(), letter.end(), [](QChar c) { return c.unicode() < 0x2190; })) return false;
  QTextLayout layout(letter, font);
  layout.beginLayout();
  layout.createLine();
  layout.endLayout();
  const QList<QGlyphRun> runs = layout.glyphRuns();
  return std::any_of(runs.begin(), runs.end(), [](const QGlyphRun& run) { return isOfPictures(run.rawFont()); });
}

struct Piece {
  QString text;
  bool isPicture;
};

std::vector<Piece> piecesOf(const QFont& font, const QString& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](QChar c) { return c.unicode() < 0x2190; });
  if (plain || !hasFonts(font)) return {{text, false}};
  std::vector<Piece> pieces;
  QTextBoundaryFinder letters(QTextBoundaryFinder::Grapheme, text);
  for (qsizetype begin = 0; begin < text.size();) {
    const qsizetype end = letters.toNextBoundary();
    if (end <= begin) break;
    const QString letter = text.mid(begin, end - begin);
    const bool isPicture = drawnByPictures(font, letter);
    if (isPicture || pieces.empty() || pieces.back().isPicture) {
      pieces.push_back({letter, isPicture});
    } else {
      pieces.back().text += letter;
    }
    begin = end;
  }
  return pieces;
}

void drawPicture(QPainter& painter, const QFont& font, const QString& letter, double x, double width) {
  QFont large(font);
  large.setPixelSize(kPictureSize);
  const QFontMetricsF metrics(large);
  const double scale = static_cast<double>(font.pixelSize()) / kPictureSize;
  QImage image(static_cast<int>(width / scale) + 1, static_cast<int>(metrics.height()) + 1,
               QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter pictures(&image);
  pictures.setFont(large);
  pictures.drawText(QPointF(0, metrics.ascent()), letter);
  pictures.end();
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  painter.drawImage(QRectF(QPointF(x, -metrics.ascent() * scale), QSizeF(image.size()) * scale), image);
  painter.restore();
}

/// Qt's PDF files say of a space that it is a tab, which a search does not find. Without spaces, as TeX writes its
/// files, readers see them in the gaps.
void drawWords(QPainter& painter, const QFontMetricsF& metrics, const QString& text, double x) {
  if (painter.paintEngine()->type() != QPaintEngine::Pdf) return painter.drawText(QPointF(x, 0), text);
  for (qsizetype begin = 0; begin < text.size();) {
    const qsizetype space = text.indexOf(' ', begin);
    const qsizetype end = space < 0 ? text.size() : space;
    if (begin < end)
      painter.drawText(QPointF(x + metrics.horizontalAdvance(text.left(begin)), 0), text.mid(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

QFont figureFont(FigureFont font) {
  const Style& style = styleOf(font);
  QFont result;
  result.setFamilies(style.fixed ? QStringList{"Monospace"} : QStringList{"Arial", "Liberation Sans", "Sans Serif"});
  result.setStyleHint(style.fixed ? QFont::Monospace : QFont::SansSerif);
  result.setPixelSize(style.size);
  result.setBold(style.bold);
  // Letters stand where their widths say at every resolution, and are grey at their edges, never coloured.
  result.setHintingPreference(QFont::PreferNoHinting);
  result.setStyleStrategy(QFont::NoSubpixelAntialias);
  return result;
}

QString figureFamilies(FigureFont font) {
  const QString family = QFontInfo(figureFont(font)).family();
  const QString kind = styleOf(font).fixed ? QStringLiteral("monospace") : QStringLiteral("sans-serif");
  return family.isEmpty() ? kind : QStringLiteral("'%1', %2").arg(QString(family).remove('\''), kind);
}

double textWidth(FigureFont font, const QString& text) {
  return QFontMetricsF(figureFont(font)).horizontalAdvance(text);
}

double lineHeight(FigureFont font) { return QFontMetricsF(figureFont(font)).height(); }

double baselineBelowMiddle(FigureFont font) {
  const QFontMetricsF metrics(figureFont(font));
  return (metrics.ascent() - metrics.descent()) / 2;
}

QString elided(FigureFont font, const QString& text, double width) {
  return QFontMetricsF(figureFont(font)).elidedText(text, Qt::ElideRight, width);
}

QStringList wrapped(FigureFont font, const QString& text, double width) {
  const QFontMetricsF metrics(figureFont(font));
  QStringList lines;
  for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
    const QString longer = lines.isEmpty() ? word : lines.back() + ' ' + word;
    if (lines.isEmpty() || metrics.horizontalAdvance(longer) > width) {
      lines.append(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

void drawFigureText(QPainter& painter, const QPointF& baseline, double degrees, FigureFont font, const QString& text) {
  const QFont shown = figureFont(font);
  const QFontMetricsF metrics(shown);
  painter.save();
  painter.setFont(shown);
  painter.translate(baseline);
  painter.rotate(degrees);
  double x = 0;
  for (const Piece& piece : piecesOf(shown, text)) {
    if (piece.isPicture) {
      drawPicture(painter, shown, piece.text, x, metrics.horizontalAdvance(piece.text));
    } else {
      drawWords(painter, metrics, piece.text, x);
    }
    x += metrics.horizontalAdvance(piece.text);
  }
  painter.restore();
}

QString undrawable(FigureFont font, const QString& text) {
  const QFont shown = figureFont(font);
  const bool none = !hasFonts(shown);
  const QFontMetricsF metrics(shown);
  QString missing;
  for (const char32_t character : text.toStdU32String()) {
    // Joiners and marks shape the letters beside them.
    if (!QChar::isPrint(character) || QChar::isSpace(character) || QChar::isMark(character)) continue;
    if (!none && metrics.inFontUcs4(character)) continue;
    const QString letter = QString::fromUcs4(&character, 1);
    if (!missing.contains(letter)) missing += letter;
  }
  return missing;
}

}  // namespace widgets
