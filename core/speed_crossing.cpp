#include "core/speed_crossing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace core {

namespace {

/// The logarithm of flash's speed in manual's; above 0 it is faster.
using LogRatios = std::map<std::int64_t, double>;  // by T

Crossing crossingOf(const AttentionShape& shape, const LogRatios& ratios) {
  Crossing crossing{.shape = shape};
  const auto slower = std::find_if(ratios.rbegin(), ratios.rend(), [](const auto& entry) { return entry.second <= 0; });
  const auto faster = slower.base();  // the one after it
  if (slower != ratios.rend()) crossing.slowerAt = slower->first;
  if (faster != ratios.end()) crossing.fasterFrom = faster->first;
  const std::string at = " at all lengths from T = ";
  const std::string measured = std::to_string(ratios.begin()->first) + " to " + std::to_string(ratios.rbegin()->first);
  if (!crossing.slowerAt) {
    crossing.sentence = "flash is faster than manual" + at + measured + ".";
  } else if (!crossing.fasterFrom) {
    crossing.sentence =
        "flash is not faster than manual at T = " + std::to_string(*crossing.slowerAt) + ", the longest that both ran.";
  } else {
    const double low = std::log(static_cast<double>(*crossing.slowerAt));
    const double high = std::log(static_cast<double>(*crossing.fasterFrom));
    crossing.tokens = std::exp(std::lerp(low, high, slower->second / (slower->second - faster->second)));
    crossing.sentence = "flash is faster than manual from T = " + std::to_string(*crossing.fasterFrom) +
                        " on, and not at T = " + std::to_string(*crossing.slowerAt) +
                        "; the curves cross near T = " + std::to_string(std::llround(*crossing.tokens)) + ".";
  }
  return crossing;
}

}  // namespace

std::vector<Crossing> crossings(const SpeedReport& report) {
  std::vector<AttentionShape> groups;  // in the order of the rows, T = 0
  std::vector<LogRatios> ratios;
  for (const SpeedRow& row : report.rows) {
    if (row.kernel != Kernel::Flash || row.scope != SpeedScope::Attention) continue;
    const auto ratio = timesManual(report, row);
    if (!ratio) continue;
    AttentionShape group = row.shape;
    group.T = 0;
    const auto place = std::find(groups.begin(), groups.end(), group);
    const auto index = static_cast<std::size_t>(place - groups.begin());
    if (place == groups.end()) {
      groups.push_back(group);
      ratios.emplace_back();
    }
    ratios[index][row.shape.T] = std::log(*ratio);
  }
  std::vector<Crossing> found;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (ratios[i].size() >= 2) found.push_back(crossingOf(groups[i], ratios[i]));
  }
  return found;
}

}  // namespace core
