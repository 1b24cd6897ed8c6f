// A capture beside upstream's own numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/capture.h"
#include "core/session.h"
#include "tests/support/reference.h"

namespace core {

/// The farthest key that a layer's queries see: i - j <= left.
using Lefts = std::vector<std::int64_t>;  // (L)
constexpr std::int64_t kWhole = std::numeric_limits<std::int64_t>::max();

/// Over all layers, heads and rows that the reference has; infinite where a value is NaN.
struct Comparison {
  double weight = 0;          ///< largest difference of a weight
  double logit = 0;           ///< of a logit, as a share of the reference's range
  double lse = 0;             ///< of a log-sum-exp; 0 where the reference has none
  double rowSum = 0;          ///< largest distance of a row's sum from 1
  std::int64_t unmasked = 0;  ///< cells that neither are visible by j <= i and i - j <= left nor exactly 0
  std::vector<float> edges;   ///< (L): the largest weight of a key at i - j == left, 0 where there is none
};
Comparison compare(const std::shared_ptr<const Capture>& capture, const support::Reference& reference,
                   const Lefts& lefts);

/// Weights within the tolerance, logits within 1e-4 of their range, lse within 2e-5, masked cells exactly 0, windows exact to
/// the key. Records the worst differences as properties of the test.
void expectEqual(const std::shared_ptr<const Capture>& capture, const support::Reference& reference,
                 const Lefts& lefts, double weightTolerance = 1e-5);

/// The reference's tokens, which the session's own tokenizer must make of its prompt, with what upstream puts before
/// it.
std::vector<TokenId> tokensOfPrompt(const Session& session, const support::Reference& reference);

}  // namespace core
