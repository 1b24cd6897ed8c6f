// What a checkpoint file holds, in our names: config, tensors, tokenizer. Plain bytes: no Torch, no Qt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/model_info.h"
#include "core/progress.h"
#include "core/tokenizer/tokenizer.h"

namespace core::checkpoint {

/// The floats first.
enum class DType { F32, F16, BF16, F64, I64, I32, I16, I8, U8, Bool };

/// Bytes of one element.
std::size_t itemSize(DType type);
/// "fp32", "bf16", "int64".
std::string name(DType type);
/// Whether weights of this type are read: F32, F16, BF16, F64.
bool isFloat(DType type);

/// How a tensor lies in memory. ColumnMajor: the last dimension is the slow one, a (in, out) matrix seen as (out, in).
enum class Order : std::uint8_t { RowMajor, ColumnMajor };

/// A tensor read into memory of its own: dense, little-endian.
/// Two tensors that shared a storage in the file share `data`.
struct Tensor {
  DType type = DType::F32;
  Order order = Order::RowMajor;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const std::byte[]> data;
  std::string quantized = {};  ///< the type in the file that was widened to `type`: "Q4_K"; empty where it is `type`
  std::int64_t elements() const;
};

/// The result of loading: everything checked against everything, ready to run.
struct Checkpoint {
  ModelInfo info;                         ///< complete but for `device`
  std::map<std::string, Tensor> tensors;  ///< by our names (core/checkpoint/tensor_names.h), all that the model needs
  std::shared_ptr<const tokenizer::Tokenizer> tokenizer;  ///< null when there is none
};

struct LoadOptions {
  std::filesystem::path tokenizer;  ///< chosen by hand; empty: look where the family keeps it
};

/// The one file to open for a path. Errors: those of core::openable(); NotAFile when there are several, listing them.
std::filesystem::path fileToOpen(const std::filesystem::path& path);

/// Opens a file or folder by content (core/checkpoint/format.h has the table of formats).
/// Errors: all kinds. Nothing of the file is executed, and nothing is allocated that it merely claims.
Checkpoint load(const std::filesystem::path& path, const LoadOptions& options, const Progress& progress);

}  // namespace core::checkpoint
