// A checkpoint's plain bytes as float32 tensors.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <string>

#include "core/checkpoint/checkpoint.h"

namespace core::model {

/// Moves tensors out of a checkpoint by name. A tensor that shares its bytes with one taken before is that same tensor,
/// so a tied head costs nothing.
class Weights {
 public:
  explicit Weights(std::map<std::string, checkpoint::Tensor>& tensors, at::Device device = at::kCPU)
      : m_tensors(tensors), m_device(device) {}

  /// float32 on the device; on the CPU fp32 bytes are used in place, a column-major matrix as a transposed view. The
  /// loader has checked presence and shape.
  at::Tensor take(const std::string& name);

  /// As take(), an undefined tensor when there is none.
  at::Tensor takeOptional(const std::string& name);

 private:
  std::map<std::string, checkpoint::Tensor>& m_tensors;
  at::Device m_device;
  std::map<const void*, at::Tensor> m_taken;
};

}  // namespace core::model
