// What of a file of arrays is which part of a capture.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/arrays/array_file.h"
#include "core/capture_meta.h"

namespace core {

/// The sizes of attention weights, whatever the number of dimensions that say them.
struct WeightShape {
  std::int64_t layers = 1;
  std::int64_t heads = 1;
  std::int64_t tokens = 0;
};

/// Whether one of its arrays has a name that weights have.
bool hasWeightsByName(const arrays::ArrayFile& file);

/// The array that holds the weights: `attn`, `attentions`, `attention`, `weights`, or the only one that can be.
/// Errors: Unsupported, listing the arrays with their shapes, when there is none or more than one; for pickled objects,
/// for types that are not floats, for a part of the rows or columns of a run; TooLarge.
const arrays::StoredArray& weightsIn(const arrays::ArrayFile& file);
/// Errors: as above.
WeightShape shapeOf(const arrays::ArrayFile& file, const arrays::StoredArray& weights);

/// The meta of Headscope: in the file, or beside an .npy. Nothing when there is none, or none that fits; why, as a
/// sentence in `warnings`. Errors: Unsupported when it says that the file has a part of the rows or columns.
std::optional<SavedMeta> metaOf(const arrays::ArrayFile& file, const WeightShape& shape,
                                std::vector<std::string>& warnings);

/// Of a file without meta: from `tokens` and `token_ids`, else "#0", "#1" ... Shape: (tokens).
std::vector<TokenText> tokensIn(const arrays::ArrayFile& file, const WeightShape& shape,
                                std::vector<std::string>& warnings);

/// True numbers of the layers or heads in the file, from the array `name`; 0, 1 ... without a usable one.
std::vector<int> numbersIn(const arrays::ArrayFile& file, const char* name, std::int64_t count,
                           std::vector<std::string>& warnings);

/// The array of logits, (T, V) or (V); null when there is none of such a shape.
const arrays::StoredArray* logitsIn(const arrays::ArrayFile& file, const WeightShape& shape,
                                    std::vector<std::string>& warnings);

}  // namespace core
