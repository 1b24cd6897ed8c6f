// Whether an array of numbers is attention: rows of weights that sum to 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/arrays/element_type.h"
#include "core/attention_mask.h"
#include "core/map_values.h"

namespace core {

/// Hears of the rows of (maps, T, T), one after the other.
class WeightCheck {
 public:
  /// masks: of each map; empty: to be told from the values. `place` begins sentences and names the shape.
  WeightCheck(std::int64_t tokens, std::int64_t headsOfALayer, const arrays::ElementType& type,
              std::vector<AttentionMask> masks, std::string place);

  /// Whole rows. Errors: Mismatch for a value below 0 or above 1, a row that sums to something else, a row that mixes
  /// weights and NaN, a weight on a key that the mask hides: with the layer, head and row, counted as in the array.
  void add(std::span<const float> rows);

  /// After all rows: for each map the rows of zeros and NaN alone.
  const std::vector<BrokenRows>& broken() const { return m_broken; }
  /// Whether everything above the diagonal is exactly 0.
  bool isCausal() const { return m_causal; }

 private:
  void addRow(std::span<const float> row);
  [[noreturn]] void fail(const std::string& what) const;

  std::int64_t m_tokens;
  std::int64_t m_heads;
  double m_rounding;  ///< of a whole row's sum
  std::vector<AttentionMask> m_masks;
  std::string m_place;
  std::vector<BrokenRows> m_broken;
  std::int64_t m_row = 0;  ///< counted through all maps
  bool m_causal = true;
};

}  // namespace core
