// Small arrays read whole: ids, numbers of heads, labels, a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/arrays/array_file.h"

namespace core::arrays {

/// All elements of an array of whole numbers, of any shape.
/// Errors: Unsupported for another type, TooLarge above `most` elements; those of ArrayFile::read().
std::vector<std::int64_t> readIntegers(const ArrayFile& file, const StoredArray& array, std::uint64_t most);

/// All elements of an array of texts (U) or bytes (S). Errors: as above; TooLarge above 64 MiB.
std::vector<std::string> readTexts(const ArrayFile& file, const StoredArray& array, std::uint64_t most);

}  // namespace core::arrays
