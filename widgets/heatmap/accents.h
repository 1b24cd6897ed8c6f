// The two accents beside the data's own colours, and what follows from a light or dark palette.
#pragma once

#include <QColor>
#include <QPalette>

namespace widgets {

constexpr QColor kShownAccent(0xe0, 0x7b, 0x1f);   ///< what is shown or selected: cell, head
constexpr QColor kActionAccent(0x2a, 0x7f, 0x9e);  ///< what is switched on or pressed: buttons

/// Qt 6.4 tells no colour scheme; a window darker than its text is dark.
inline bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

/// Part of the way from the background to the text: secondary text (0.6) and thin lines (0.15) that follow the palette.
inline QColor blended(const QPalette& palette, double towardsText) {
  const QColor from = palette.color(QPalette::Base);
  const QColor to = palette.color(QPalette::Text);
  const auto mix = [towardsText](int a, int b) { return static_cast<int>(a + (b - a) * towardsText); };
  return {mix(from.red(), to.red()), mix(from.green(), to.green()), mix(from.blue(), to.blue())};
}

/// What is not as it should be: as text on the base, or as a ground for marks in the colour of the base.
inline QColor warningColor(const QPalette& palette) {
  return isDark(palette) ? QColor(0xf0, 0xa0, 0x6a) : QColor(0xa8, 0x4a, 0x0c);
}

}  // namespace widgets
