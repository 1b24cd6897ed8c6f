// The named tensors of a checkpoint, whatever container holds them: a torch archive, safetensors, several shards.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint.h"
#include "core/progress.h"

namespace core::checkpoint {

/// A tensor as its container describes it, checked against the file; nothing of it is read yet.
struct StoredTensor {
  DType type = DType::F32;
  std::vector<std::int64_t> shape;
};

/// What reading tensors gave.
struct Reading {
  std::map<std::string, Tensor> tensors;
  std::int64_t bytes = 0;  ///< of weights, read from the files; a shared tensor counts once
  std::vector<std::string>
      warnings;  ///< sentences: weights that are NaN, infinite or all zero; records with another checksum
};

class TensorStore {
 public:
  virtual ~TensorStore() = default;

  /// As in the file, sorted, each once.
  virtual const std::vector<std::string>& names() const = 0;

  /// The file that holds a tensor, as sentences begin; for a name that is not there, the store's first file.
  virtual std::string fileOf(const std::string& name) const = 0;
  virtual std::uint64_t fileBytes() const = 0;  ///< of all its files together

  /// Errors: Corrupt, Unsupported (element types that no weight is read from), Unsafe: about this tensor alone.
  virtual StoredTensor describe(const std::string& name) const = 0;

  /// wanted: our name -> the name in the file. Tensors that are the same bytes share their data.
  /// Warnings name tensors as the file does.
  /// Errors: Corrupt, OutOfMemory when this computer can't hold them, Cancelled, Truncated, Io.
  virtual Reading read(const std::map<std::string, std::string>& wanted, const Progress& progress) const = 0;
};

}  // namespace core::checkpoint
