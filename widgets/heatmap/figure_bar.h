// The numbers of a figure's colour bar.
#pragma once

#include <QString>
#include <vector>

#include "widgets/heatmap/colormap.h"

namespace widgets {

struct BarTick {
  double place = 0;  ///< 0 at the bottom, 1 at the top
  QString text;
};

/// Both ends, 0 where it is between them, and round numbers, at least `least` of the bar's height apart; ascending.
/// colouring: nullptr where every row has its own range, then the ends have words.
std::vector<BarTick> barTicks(const ColourChoice& choice, core::Stage stage, const Colouring* colouring, double least);

/// What the numbers are, and how they become colours: "weight", "√ scale".
QStringList barHeading(core::Stage stage, Scale scale, bool isDifference);

}  // namespace widgets
