// A map whose values are given, for what is made of maps.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/map_source.h"

namespace support {

/// (rows, columns) for every stage. Only rectangle() is its own: overviews and ranges are core's.
class StoredMap final : public core::MapSource {
 public:
  StoredMap(std::string name, core::MapValues values, core::MapMask mask, core::KeySet hidden = {})
      : m_name(std::move(name)), m_values(std::move(values)), m_mask(std::move(mask)), m_hidden(std::move(hidden)) {}

  std::string identity() const override { return m_name; }
  core::MapRect extent(core::Stage) const override { return {{0, m_values.rows}, {0, m_values.columns}}; }
  core::MapMask mask() const override { return m_mask; }
  core::KeySet hidden() const override { return m_hidden; }
  core::MapValues rectangle(core::Stage, const core::MapRect& rect,
                            const core::Progress& progress = {}) const override {
    progress.report(0, "map");
    core::MapValues part{rect.rows.size(), rect.columns.size(), {}};
    for (core::Position row = rect.rows.begin; row < rect.rows.end; ++row)
      for (core::Position column = rect.columns.begin; column < rect.columns.end; ++column)
        part.values.push_back(m_values.at(row, column));
    return part;
  }

 private:
  std::string m_name;
  core::MapValues m_values;
  core::MapMask m_mask;
  core::KeySet m_hidden;
};

/// Causal attention of T tokens whose rows sum to 1, another one for each seed.
inline core::MapValues causalWeights(std::int64_t T, int seed) {
  core::MapValues values{T, T, std::vector<float>(static_cast<std::size_t>(T * T))};
  for (std::int64_t i = 0; i < T; ++i) {
    double sum = 0;
    const auto raw = [&](std::int64_t j) {
      return std::exp(std::sin(static_cast<double>(i * 7 + j * 3 + seed * 11)) * 2);
    };
    for (std::int64_t j = 0; j <= i; ++j) sum += raw(j);
    for (std::int64_t j = 0; j <= i; ++j)
      values.values[static_cast<std::size_t>(i * T + j)] = static_cast<float>(raw(j) / sum);
  }
  return values;
}

inline std::shared_ptr<const StoredMap> causalMap(std::int64_t T, int seed, core::KeySet hidden = {}) {
  return std::make_shared<const StoredMap>("map " + std::to_string(seed), causalWeights(T, seed),
                                           core::AttentionMask(T), std::move(hidden));
}

}  // namespace support
