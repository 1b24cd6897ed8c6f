#include "core/checkpoint/config_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/checkpoint/family_weights.h"
#include "core/checkpoint/printable.h"

namespace core::checkpoint {

namespace {

using Topic = ReportLine::Topic;

/// "500,000" where it is whole.
std::string numberText(double number) {
  const bool whole = std::floor(number) == number && std::abs(number) < 1e15;
  return whole ? grouped(static_cast<std::int64_t>(number)) : fmt::format("{}", number);
}

std::string ropeText(const ModelConfig& config) {
  const RopeScaling& scaling = config.ropeScaling;
  const std::string base = fmt::format("RoPE base {}", numberText(config.trained.ropeBase));
  switch (scaling.rule) {
    case RopeScaling::Rule::None: return base;
    case RopeScaling::Rule::Linear:
      return fmt::format("{}, all frequencies divided by {} (linear)", base, numberText(scaling.factor));
    case RopeScaling::Rule::Llama3:
      return fmt::format(
          "{}, low frequencies divided by {} (llama3: low_freq_factor {}, high_freq_factor {}, first "
          "trained on {} tokens)",
          base, numberText(scaling.factor), numberText(scaling.lowFrequency), numberText(scaling.highFrequency),
          grouped(scaling.originalContext));
    case RopeScaling::Rule::Factors:
      return fmt::format("{}, each frequency divided by a factor of the file's", base);
  }
  return base;
}

std::string windowText(const ModelConfig& config) {
  const std::vector<Window>& windows = config.trained.windows;
  const auto limited = std::count_if(windows.begin(), windows.end(), [](Window window) { return window.limited(); });
  const std::string where =
      limited == config.layers ? "in every layer" : fmt::format("in {} of {} layers", limited, config.layers);
  return fmt::format("window of {} keys {} ({})", grouped(config.windowRule.shortWindow.left + 1), where,
                     config.windowRule.origin);
}

}  // namespace

void reportNumbers(ModelInfo& info) {
  const ModelConfig& numbers = info.config;
  say(info, Topic::Family, fmt::format("{}: {}", numbers.family, sizesText(numbers)));
  if (numbers.positions == Positions::Rotary) say(info, Topic::Version, ropeText(numbers));
  if (numbers.mlp == Mlp::Gelu) {
    say(info, Topic::Version, numbers.trained.gelu == Gelu::Tanh ? "GELU: the tanh form" : "GELU: the exact one (erf)");
  }
  if (!numbers.windowRule.origin.empty()) say(info, Topic::Version, windowText(numbers));
}

}  // namespace core::checkpoint
