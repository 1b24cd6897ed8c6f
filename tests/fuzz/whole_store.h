// Every tensor of a file.
#pragma once

#include "core/checkpoint/tensor_store.h"

namespace fuzz {

/// Reads all tensors that have a description. Errors: those of TensorStore::read.
core::checkpoint::Reading readAll(const core::checkpoint::TensorStore& store);

}  // namespace fuzz
