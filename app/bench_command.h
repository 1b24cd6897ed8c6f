// What `headscope bench` measures, and how its results are put.
#pragma once

#include <string>
#include <vector>

#include "app/cli.h"
#include "core/path_check.h"
#include "core/speed_report.h"

namespace app {

/// Random q, k, v of the shapes that the arguments name. Errors: as core::timeShapes().
core::SpeedReport benchShapes(const Arguments& arguments, const core::Progress& progress);

/// Errors: as core::timeModel().
core::SpeedReport benchModel(const core::Session& session, core::RunRequest request, const Arguments& arguments,
                             const core::Progress& progress);

/// A check for each type that is asked for. Errors: as core::checkPaths().
std::vector<core::PathCheck> verifyModel(const core::Session& session, const core::RunRequest& request,
                                         const Arguments& arguments, const core::Progress& progress);

/// The prompt where none is given: token ids 0, 1, 2, ... as many as the context has, but kLongestFiller at most.
inline constexpr std::int64_t kLongestFiller = 1024;
std::vector<core::TokenId> fillerTokens(const core::ModelConfig& config);

std::string benchResult(const core::SpeedReport& report, OutputFormat format);
std::string verifyResult(const std::vector<core::PathCheck>& checks, OutputFormat format);

}  // namespace app
