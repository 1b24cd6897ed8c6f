// What stands on a thumbnail: the name of its head, and a badge where something is wrong. Both read on any colour.
#pragma once

#include <QFont>
#include <QRect>
#include <QString>

class QPainter;
class QPalette;

namespace widgets {

QFont smallFont(QFont font);
int smallTextHeight(const QFont& font);  ///< of a line under a thumbnail

/// At the top right, in the painter's font made small.
void paintLabel(QPainter& painter, const QRect& thumbnail, const QString& text, const QPalette& palette);

/// A circle with an exclamation mark.
void paintBadge(QPainter& painter, const QRect& place, const QPalette& palette);

}  // namespace widgets
