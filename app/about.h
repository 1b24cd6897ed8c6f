// Versions and devices, for the About dialog and bug reports.
#pragma once

#include <QList>
#include <QString>
#include <utility>

#include "core/device.h"

namespace app {

/// Name and value a row.
QList<std::pair<QString, QString>> systemFacts(const core::DeviceFacts& device);

}  // namespace app
