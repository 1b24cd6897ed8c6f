// What of the map is chosen by typing: a part, a range of colours, how many keys are hidden.
#pragma once

#include <QString>
#include <functional>
#include <optional>

#include "core/map_values.h"

class QDialog;
class QWidget;

namespace widgets {

/// "3:10" (3 to 9), "3" (that one), "-5:" (the last five), "10:" and "" (all). Problem: a sentence.
struct ParsedPart {
  core::PositionRange range;
  QString problem;
};
ParsedPart parsePart(const QString& text, std::int64_t count);

QDialog* askForPart(const core::MapRect& whole, const core::MapRect& shown, std::function<void(core::MapRect)> take,
                    QWidget* parent);

/// take(nullopt): the map's own range, for two empty fields.
QDialog* askForColorRange(std::optional<core::ValueRange> range,
                          std::function<void(std::optional<core::ValueRange>)> take, QWidget* parent);

QDialog* askForFirstKeys(std::int64_t hidden, std::int64_t tokens, std::function<void(std::int64_t)> take,
                         QWidget* parent);

}  // namespace widgets
