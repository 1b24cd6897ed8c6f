// The texts of a figure: fonts, sizes in points, wrapping, and drawing them where a QPainter can.
#pragma once

#include <QFont>
#include <QPainter>
#include <QStringList>

namespace widgets {

enum class FigureFont { Title, Subtitle, Name, Label, Number, Caption };

/// A painter that draws in points draws it at its size, whatever the device's resolution.
QFont figureFont(FigureFont font);

/// For files that name fonts: the family that is used here, and the kind that takes its place elsewhere.
QString figureFamilies(FigureFont font);

double textWidth(FigureFont font, const QString& text);
double lineHeight(FigureFont font);
/// From the middle of a line down to its baseline.
double baselineBelowMiddle(FigureFont font);
QString elided(FigureFont font, const QString& text, double width);
/// Lines of whole words, each within `width` where its words are.
QStringList wrapped(FigureFont font, const QString& text, double width);

/// From `baseline` on, turned by `degrees` about it. Letters of fonts made of pictures (emoji) are drawn as pictures:
/// a PDF can't embed such a font.
void drawFigureText(QPainter& painter, const QPointF& baseline, double degrees, FigureFont font, const QString& text);

/// The characters that no installed font has, each once; all of them where there is no font at all.
QString undrawable(FigureFont font, const QString& text);

}  // namespace widgets
