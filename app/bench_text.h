// What `headscope bench` prints for people.
#pragma once

#include <string>
#include <vector>

#include "core/path_check.h"
#include "core/speed_report.h"

namespace app {

/// The machine, an aligned table, then why rows did not run, where the paths cross, notes.
std::string benchText(const core::SpeedReport& report);
std::string verifyText(const std::vector<core::PathCheck>& checks);

}  // namespace app
