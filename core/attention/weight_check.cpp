#include "core/attention/weight_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/number_text.h"

namespace core {

namespace {

constexpr double kTolerance = 1e-4;

bool allZero(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

}  // namespace

WeightCheck::WeightCheck(std::int64_t tokens, std::int64_t headsOfALayer, const arrays::ElementType& type,
                         std::vector<AttentionMask> masks, std::string place)
    : m_tokens(tokens),
      m_heads(headsOfALayer),
      m_rounding(arrays::roundingOfSum(type, tokens)),
      m_masks(std::move(masks)),
      m_place(std::move(place)) {}

void WeightCheck::fail(const std::string& what) const {
  const std::int64_t map = m_row / m_tokens;
  throw Error(ErrorKind::Mismatch,
              m_place + " holds no attention weights: in layer " + std::to_string(map / m_heads) + ", head " +
                  std::to_string(map % m_heads) + " (counted as they are stored), row " +
                  std::to_string(m_row % m_tokens) + " " + what +
                  ". Each row is a query's weights on all keys, after the softmax, and sums to 1: save those.");
}

void WeightCheck::add(std::span<const float> rows) {
  const auto T = static_cast<std::size_t>(m_tokens);
  for (std::size_t begin = 0; begin < rows.size(); begin += T, ++m_row) addRow(rows.subspan(begin, T));
}

void WeightCheck::addRow(std::span<const float> row) {
  const std::int64_t query = m_row % m_tokens;
  const auto map = static_cast<std::size_t>(m_row / m_tokens);
  if (query == 0) m_broken.emplace_back();
  double sum = 0;
  float low = 0, high = 0;
  std::int64_t nans = 0;
  for (const float value : row) {
    if (std::isnan(value)) {
      ++nans;
      continue;
    }
    sum += static_cast<double>(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low < 0 || static_cast<double>(high) > 1 + kTolerance) {
    const float bad = low < 0 ? low : high;
    const auto key = std::find(row.begin(), row.end(), bad) - row.begin();
    fail("has " + numberText(static_cast<double>(bad)) + " at key " + std::to_string(key));
  }
  if (sum > 0 && nans > 0) fail("has weights and " + std::to_string(nans) + " NaN");
  if (sum > 0 && std::abs(sum - 1) > kTolerance + m_rounding)
    fail("sums to " + numberText(sum) + ", not to 1 within " + numberText(kTolerance + m_rounding));
  if (sum == 0) {
    BrokenRows& broken = m_broken[map];
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (broken.count++ == 0) {
      broken.first = query;
      broken.lse = nans > 0 ? std::numeric_limits<float>::quiet_NaN() : -kInfinity;
    }
  }
  if (!m_masks.empty()) {
    const PositionRange seen = m_masks[map].visibleKeys(query);
    const auto before = row.first(static_cast<std::size_t>(seen.begin));
    const auto after = row.subspan(static_cast<std::size_t>(seen.end));
    if (!allZero(before) || !allZero(after)) fail("has a weight on a key that its mask hides");
  } else if (m_causal) {
    m_causal = allZero(row.subspan(static_cast<std::size_t>(query + 1)));
  }
}

}  // namespace core
