#include "widgets/heatmap/figure_bar.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "widgets/heatmap/color_bar.h"
#include "widgets/heatmap/heatmap_overlay.h"
#include "widgets/heatmap/map_words.h"

namespace widgets {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Figure", text); }

std::vector<BarTick> ticksPerRow(ColormapName colormap, core::Stage stage) {
  const QString largest = tr(QT_TRANSLATE_NOOP("Figure", "row max"));
  if (colormap == ColormapName::Diverging) return {{0, QStringLiteral("−") + largest}, {0.5, "0"}, {1, largest}};
  return {{0, isSigned(stage) ? tr(QT_TRANSLATE_NOOP("Figure", "row min")) : QStringLiteral("0")}, {1, largest}};
}

/// Multiples of 1, 2 or 5 times a power of ten, about five of them.
std::vector<double> roundNumbers(double low, double high) {
  const double rough = (high - low) / 5;
  const double ten = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * ten;
  for (const double factor : {5.0, 2.0, 1.0})
    if (1.05 * factor * ten >= rough) step = factor * ten;
  std::vector<double> numbers;
  for (double number = std::ceil(low / step); number * step <= high; ++number) numbers.push_back(number * step);
  return numbers;
}

/// Powers of ten from the smallest value that the scale tells apart, with both signs where the range has both.
std::vector<double> decades(double low, double high) {
  std::vector<double> numbers;
  const double largest = std::max(std::abs(low), std::abs(high));
  const int top = static_cast<int>(std::floor(std::log10(largest)));
  for (int power = top; power > top - kLogDecades; --power) {
    for (const double number : {std::pow(10, power), -std::pow(10, power)})
      if (number > low && number < high) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<BarTick> barTicks(const ColourChoice& choice, core::Stage stage, const Colouring* colouring, double least) {
  if (!colouring) return ticksPerRow(choice.colormap, stage);
  const double low = colouring->valueAt(0);
  const double high = colouring->valueAt(1);
  if (!(high > low)) return {{0, shortNumber(low)}};
  std::vector<BarTick> ticks;
  const auto add = [&](double place, double value) {
    const bool crowded = std::any_of(ticks.begin(), ticks.end(),
                                     [&](const BarTick& other) { return std::abs(other.place - place) < least; });
    if (!crowded) ticks.push_back({place, shortNumber(value)});
  };
  add(0, low);
  add(1, high);
  const auto addRound = [&](double value) { add(colouring->place(value), value); };
  if (choice.scale == Scale::Percentile) {
    for (const double place : {0.5, 0.25, 0.75}) add(place, colouring->valueAt(place));
  } else {
    if (low < 0 && high > 0) addRound(0);
    // A logarithm of the share of the range is one of the value only where the range begins at 0 or has it as its
    // middle.
    const bool isOfValues = low + high == 0 || std::abs(low) <= 1.01 * high * std::pow(10, -kLogDecades);
    if (choice.scale != Scale::Log) {
      for (const double value : roundNumbers(low, high)) addRound(value);
    } else if (isOfValues) {
      for (const double value : decades(low, high)) addRound(value);
    } else {
      for (const double place : {0.25, 0.5, 0.75}) add(place, colouring->valueAt(place));
    }
  }
  std::sort(ticks.begin(), ticks.end(), [](const BarTick& a, const BarTick& b) { return a.place < b.place; });
  return ticks;
}

QStringList barHeading(core::Stage stage, Scale scale, bool isDifference) {
  QStringList lines;
  if (isDifference) lines << tr(QT_TRANSLATE_NOOP("Figure", "difference"));
  lines << ColorBar::unit(stage);
  if (scale != Scale::Linear) lines << tr(QT_TRANSLATE_NOOP("Figure", "%1 scale")).arg(scaleName(scale));
  return lines;
}

}  // namespace widgets
