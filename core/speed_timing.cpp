#include "core/speed_timing.h"

#include <algorithm>
#include <cmath>

namespace core {

Quartiles quartiles(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], place - static_cast<double>(below));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

}  // namespace core
