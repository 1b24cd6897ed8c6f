// Sums over the rows of a map.
#pragma once

#include <vector>

#include "core/map_source.h"

namespace core {

/// The share of attention that goes to the hidden keys: the sum of their weights, mean over the rows.
double hiddenMass(const MapSource& map, const Progress& progress);

/// Shape (rows). Total variation of each row of a difference of weights: half the sum of |a - b|, from 0 (equal) to 1.
std::vector<float> totalVariation(const MapSource& difference, const Progress& progress);

}  // namespace core
