// What `headscope bench` prints for programs.
#pragma once

#include <string>
#include <vector>

#include "core/path_check.h"
#include "core/speed_report.h"

namespace app {

/// One JSON object with stable keys, every sample in it; `schema` grows when a key changes its meaning.
std::string benchJson(const core::SpeedReport& report);
std::string verifyJson(const std::vector<core::PathCheck>& checks);

/// A line of names, then one for each row. Source: RFC 4180, but lines end with \n.
std::string benchCsv(const core::SpeedReport& report);
std::string verifyCsv(const std::vector<core::PathCheck>& checks);

}  // namespace app
