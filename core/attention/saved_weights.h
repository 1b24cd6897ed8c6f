// The weights behind a capture that was opened from a file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/arrays/float_array.h"
#include "core/capture.h"

namespace core {

struct SavedWeights {
  std::filesystem::path file;
  std::vector<Layer> layers;  ///< in the order of the file, with their true numbers
  std::vector<Head> heads;
  std::int64_t tokens = 0;
  std::shared_ptr<const arrays::FloatArray> weights;  ///< (layers, heads, T, T)
  std::vector<BrokenRows> broken;                     ///< (layers x heads)
  std::shared_ptr<const arrays::FloatArray> logits;   ///< (rows of logitRows, V); null: none
  PositionRange logitRows;

  /// The place among layers x heads; nothing for one that the file does not hold.
  std::optional<std::size_t> placeOf(HeadId head) const;

  /// Cells of Stage::Weights. Errors: those of FloatArray::read(); Cancelled.
  MapValues rectangle(HeadId head, const MapRect& rect, const Progress& progress) const;

  /// Shape (rows, V). Errors: Unsupported for rows that the file has no logits of; those of FloatArray::read().
  std::vector<float> logitsOf(const PositionRange& rows, std::int64_t V) const;

  [[noreturn]] void refuse(HeadId head) const;  ///< Unsupported: which layers and heads the file holds
  [[noreturn]] void refuse(Stage stage) const;  ///< Unsupported: only weights
};

}  // namespace core
