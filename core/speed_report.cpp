#include "core/speed_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace core {

namespace {

bool sameInputs(const SpeedRow& a, const SpeedRow& b) {
  return a.scope == b.scope && a.shape == b.shape && a.windows == b.windows;
}

}  // namespace

const char* word(SpeedScope scope) { return scope == SpeedScope::Attention ? "attention" : "forward"; }

std::optional<double> SpeedRow::rate() const {
  if (!ran() || scope == SpeedScope::Forward || !(median() > 0)) return std::nullopt;
  return flop / median();
}

std::optional<double> timesManual(const SpeedReport& report, const SpeedRow& row) {
  const auto manual = std::find_if(report.rows.begin(), report.rows.end(), [&](const SpeedRow& other) {
    return other.kernel == Kernel::Manual && other.ran() && sameInputs(row, other);
  });
  if (manual == report.rows.end() || !row.ran() || !(row.median() > 0)) return std::nullopt;
  return manual->median() / row.median();
}

std::string speedWords(double ratio) {
  if (std::abs(ratio - 1) < 0.005) return "as fast";
  char text[48];
  std::snprintf(text, sizeof text, "%.2fx %s", ratio > 1 ? ratio : 1 / ratio, ratio > 1 ? "faster" : "slower");
  return text;
}

}  // namespace core
