// The few dialogs. All open without blocking and delete themselves.
#pragma once

#include <QString>
#include <QWidget>

#include "core/error.h"
#include "core/model_info.h"

class QDialog;
class QMessageBox;

namespace widgets {

/// The sentence; kind and details behind "Show Details".
QMessageBox* showError(const QString& title, const core::Error& error, QWidget* parent);

/// What loading did, a line each.
QDialog* showLoadReport(const core::ModelInfo& info, QWidget* parent);

/// A table of two columns (keys and what they do, or names and versions) that can be copied.
QDialog* showTable(const QString& title, const QList<std::pair<QString, QString>>& rows, QWidget* parent);

}  // namespace widgets
