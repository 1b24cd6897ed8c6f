// The next token from logits.
#pragma once

#include <random>
#include <span>

#include "core/generation.h"
#include "core/ids.h"

namespace core {

/// Chooses one token after the other; the same seed gives the same choices everywhere.
class Sampler {
 public:
  /// Errors: Mismatch, with the number, for a temperature that is not a finite number of at least 0 or a K below 0.
  explicit Sampler(const Sampling& sampling);

  /// Shape: logits (V), not empty. NaN is never chosen unless there is nothing else. Of equal logits the first counts
  /// as the larger one, for the choice of the K largest too.
  TokenId choose(std::span<const float> logits);

 private:
  Sampling m_sampling;
  std::mt19937_64 m_random;
};

}  // namespace core
