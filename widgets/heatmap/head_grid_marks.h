// What stands on a thumbnail: the number of its head, and a badge where something is wrong. Both read on any colour.
#pragma once

#include <QRect>

class QPainter;
class QPalette;

namespace widgets {

/// At the top right, in the painter's font made small.
void paintNumber(QPainter& painter, const QRect& thumbnail, int number, const QPalette& palette);

/// A circle with an exclamation mark.
void paintBadge(QPainter& painter, const QRect& place, const QPalette& palette);

}  // namespace widgets
