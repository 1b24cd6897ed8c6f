#include "app/bench_command.h"

#include <algorithm>

#include "app/bench_data.h"
#include "app/bench_text.h"
#include "core/speed_model.h"

namespace app {

namespace {

core::SpeedOptions optionsOf(const Arguments& arguments) {
  core::SpeedOptions options{
      .device = arguments.device, .kernels = arguments.bench.kernels, .memoryBudget = arguments.memoryBudget};
  if (arguments.bench.runs) options.runs = *arguments.bench.runs;
  return options;
}

/// GPT-2's smallest size.
constexpr core::AttentionShape kShape{.B = 1, .H = 12, .Hkv = 12, .T = 1024, .D = 64, .window = {}};

}  // namespace

core::SpeedReport benchShapes(const Arguments& arguments, const core::Progress& progress) {
  core::Sweep sweep{.base = arguments.bench.shape.value_or(kShape), .types = arguments.bench.types};
  const Lengths lengths = arguments.bench.sweep.value_or(Lengths{sweep.base.T, sweep.base.T});
  sweep.first = lengths.first;
  sweep.last = lengths.last;
  if (arguments.overrides.windows) sweep.windows = *arguments.overrides.windows;
  sweep.base.mask = arguments.overrides.mask.value_or(core::MaskKind::Causal);
  const core::SpeedOptions options = optionsOf(arguments);
  return core::timeShapes(core::shapesOf(sweep), options, progress);
}

core::SpeedReport benchModel(const core::Session& session, core::RunRequest request, const Arguments& arguments,
                             const core::Progress& progress) {
  core::ModelSpeed what{.request = std::move(request), .types = arguments.bench.types};
  if (arguments.bench.layer) what.layer = core::Layer(*arguments.bench.layer);
  const core::SpeedOptions options = optionsOf(arguments);
  return core::timeModel(session, what, options, progress);
}

std::vector<core::PathCheck> verifyModel(const core::Session& session, const core::RunRequest& request,
                                         const Arguments& arguments, const core::Progress& progress) {
  const auto capture = session.run(request, progress);
  std::vector<core::PathCheck> checks;
  for (const core::DType type : arguments.bench.types)
    checks.push_back(core::checkPaths(*capture, type, arguments.device, progress));
  return checks;
}

std::vector<core::TokenId> fillerTokens(const core::ModelConfig& config) {
  const std::int64_t count = std::min({config.context, config.longestPrompt, kLongestFiller});
  std::vector<core::TokenId> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(i % config.vocabulary);
  return tokens;
}

std::string benchResult(const core::SpeedReport& report, OutputFormat format) {
  switch (format) {
    case OutputFormat::Text: return benchText(report);
    case OutputFormat::Json: return benchJson(report);
    case OutputFormat::Csv: return benchCsv(report);
  }
  return {};
}

std::string verifyResult(const std::vector<core::PathCheck>& checks, OutputFormat format) {
  switch (format) {
    case OutputFormat::Text: return verifyText(checks);
    case OutputFormat::Json: return verifyJson(checks);
    case OutputFormat::Csv: return verifyCsv(checks);
  }
  return {};
}

}  // namespace app
