// Asks which checkpoint of a folder to open.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "core/openable.h"

class QDialog;
class QWidget;

namespace widgets {

/// Lists the labels, the first one chosen; opens without blocking and deletes itself. `chosen` is called with the one
/// that the user takes; whoever must know of a refusal follows QDialog::rejected.
QDialog* chooseCheckpoint(const QString& location, const std::vector<core::Openable>& offers, QWidget* parent,
                          std::function<void(const core::Openable&)> chosen);

}  // namespace widgets
