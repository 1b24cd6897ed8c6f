#include "core/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/number_text.h"

namespace core {

Sampler::Sampler(const Sampling& sampling) : m_sampling(sampling), m_random(sampling.seed) {
  if (!std::isfinite(sampling.temperature) || sampling.temperature < 0) {
    throw Error(ErrorKind::Mismatch, "A temperature of " + numberText(sampling.temperature) +
                                         " was asked for; it must be a finite number of at least 0, and 0 always takes "
                                         "the likeliest token.");
  }
  if (sampling.topK < 0) {
    throw Error(ErrorKind::Mismatch,
                "The " + std::to_string(sampling.topK) +
                    " likeliest tokens were asked for; give a number from 1, or 0 for all tokens.");
  }
}

TokenId Sampler::choose(std::span<const float> logits) {
  const auto likelier = [&](std::size_t a, std::size_t b) {
    if (std::isnan(logits[a]) || std::isnan(logits[b])) return std::isnan(logits[b]) && !std::isnan(logits[a]);
    return logits[a] > logits[b];
  };
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (m_sampling.temperature == 0) {
    return static_cast<TokenId>(*std::min_element(order.begin(), order.end(), likelier));
  }
  const auto all = order.size();
  const std::size_t k = m_sampling.topK == 0 ? all : std::min(all, static_cast<std::size_t>(m_sampling.topK));
  std::stable_sort(order.begin(), order.end(), likelier);
  order.resize(k);

  const double largest = static_cast<double>(logits[order.front()]);
  std::vector<double> sums;  // running sums of exp((logit - largest) / temperature)
  double sum = 0;
  for (const std::size_t token : order) {
    const double share = std::exp((static_cast<double>(logits[token]) - largest) / m_sampling.temperature);
    sums.push_back(sum += std::isnan(share) ? 0 : share);
  }
  // 53 random bits: a number in [0, 1) that is the same everywhere, which the standard's distributions do not promise.
  const double point = std::ldexp(static_cast<double>(m_random() >> 11), -53) * sum;
  const auto found = std::upper_bound(sums.begin(), sums.end(), point);
  return static_cast<TokenId>(order[found == sums.end() ? 0 : static_cast<std::size_t>(found - sums.begin())]);
}

}  // namespace core
