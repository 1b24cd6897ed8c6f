// Rows of q and k as GGUF files of llama models have them.
#pragma once

#include <cstdint>

#include "core/checkpoint/checkpoint.h"

namespace core::checkpoint::gguf {

/// Brings the rows of `heads` heads of `headSize`, from `firstRow` on, from pairs (0, D/2, 1, D/2 + 1 ...) to halves
/// (0, 1 ... D - 1), in which RoPE is computed here. The tensor gets data of its own.
/// Shape: (rows, ...) or (rows).
void pairsToHalves(Tensor& tensor, std::int64_t firstRow, std::int64_t heads, std::int64_t headSize);

}  // namespace core::checkpoint::gguf
