// A tensor as a torch pickle describes it: checked, nothing read yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle.h"
#include "core/checkpoint/torch_archive.h"

namespace core::checkpoint {

struct TorchTensor {
  DType type = DType::F32;
  std::string_view storage;  ///< its key: the record "data/<key>" of the archive, which keeps the text
  Record record;
  std::int64_t offset = 0;  ///< in elements, like the strides
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;

  std::uint64_t bytes() const;  ///< of the tensor, not of its storage
  bool isContiguous() const;

  /// The order of the file, in which only tensors that show the same bytes in the same way are equal.
  struct ByView {
    bool operator()(const TorchTensor& left, const TorchTensor& right) const;
  };
};

/// The element type of "torch.FloatStorage" and its like; nothing for those that are not read.
std::optional<DType> storageType(std::string_view global);

/// Whether the value was to become a tensor (of any kind, also those that describeTensor refuses).
bool isTensor(const pickle::Value& value);

/// Checks storage, record, sizes and strides against each other. `name` is for sentences.
/// Errors: Corrupt, Unsupported (quantized, sparse, complex ...; "no data" for meta), Unsafe for a tensor that only a
/// foreign function could rebuild.
TorchTensor describeTensor(const TorchArchive& archive, const pickle::Value& value, std::string_view name);

}  // namespace core::checkpoint
