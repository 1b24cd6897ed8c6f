#include "core/map_sums.h"

#include <cmath>

namespace core {

double hiddenMass(const MapSource& map, const Progress& progress) {
  const MapRect all = map.extent(Stage::Weights);
  const KeySet hidden = map.hidden();
  if (hidden.empty() || all.cells() == 0) return 0;
  const std::vector<Position>& keys = hidden.keys();
  double sum = 0;
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t last = i;
    while (last + 1 < keys.size() && keys[last + 1] == keys[last] + 1) ++last;
    const PositionRange columns{std::min(keys[i], all.columns.end), std::min(keys[last] + 1, all.columns.end)};
    const double begin = static_cast<double>(i) / static_cast<double>(keys.size());
    inBands(map, Stage::Weights, {all.rows, columns}, progress.part(begin, begin),
            [&](const PositionRange&, const MapValues& values) {
              for (const float value : values.values) sum += static_cast<double>(value);
            });
    i = last + 1;
  }
  return sum / static_cast<double>(all.rows.size());
}

std::vector<float> totalVariation(const MapSource& difference, const Progress& progress) {
  const MapRect all = difference.extent(Stage::Weights);
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(all.rows.size()));
  inBands(difference, Stage::Weights, all, progress, [&](const PositionRange& band, const MapValues& values) {
    for (std::int64_t row = 0; row < band.size(); ++row) {
      double sum = 0;
      for (std::int64_t column = 0; column < values.columns; ++column)
        sum += std::abs(static_cast<double>(values.at(row, column)));
      result.push_back(static_cast<float>(sum / 2));
    }
  });
  return result;
}

}  // namespace core
