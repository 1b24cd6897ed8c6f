// What a clock told of one piece of work, and how it is summed up.
#pragma once

#include <string>
#include <vector>

namespace core {

struct Quartiles {
  double q1 = 0;
  double median = 0;
  double q3 = 0;
};

/// The values at the places (n - 1) / 4, (n - 1) / 2 and 3 (n - 1) / 4 of the n sorted samples, counted from 0, linear
/// between two neighbours: numpy's default rule. All 0 when there are none.
Quartiles quartiles(std::vector<double> samples);

/// Units: seconds.
struct Timing {
  double cold = 0;              ///< the first run; it pays for what later ones find ready
  std::vector<double> samples;  ///< every run that counts, in the order they were made
  int warmUp = 0;               ///< runs between the cold one and these, not kept
  std::string clock;            ///< "steady clock", "CUDA events"
  std::string note;             ///< why there are fewer runs than asked for; empty when there are not
  Quartiles quartiles() const { return core::quartiles(samples); }
};

}  // namespace core
