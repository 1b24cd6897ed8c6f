// Numbers of a stored array by their place: read from the file when asked for, or held in memory as float32.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/arrays/array_file.h"

namespace core::arrays {

/// Immutable; read() may be called from any thread.
class FloatArray {
 public:
  virtual ~FloatArray() = default;
  virtual std::uint64_t size() const = 0;

  /// Elements [first, first + into.size()), counted as the last index runs fastest.
  /// Errors: Truncated, Corrupt when the file was changed since, Io.
  virtual void read(std::uint64_t first, std::span<float> into) const = 0;

  virtual std::size_t bytesHeld() const = 0;  ///< in memory
};

/// Hears of all elements once, in their order, in pieces of whole rows of `row` elements.
using Visit = std::function<void(std::uint64_t first, std::span<const float> values)>;

/// float32 that lies in the file as it is in memory stays there; anything else is held as float32.
/// Errors: Unsupported unless the elements are floats that are read; OutOfMemory, with both numbers, when more than
/// `freeBytes` would be held; those of ArrayFile::read() and of visit().
std::shared_ptr<const FloatArray> openFloats(const std::shared_ptr<const ArrayFile>& file, const StoredArray& array,
                                             std::uint64_t row, std::int64_t freeBytes, const Progress& progress,
                                             const Visit& visit);

}  // namespace core::arrays
