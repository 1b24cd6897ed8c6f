// q, k, v that several kernels are timed on, one after the other.
#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/kernels.h"
#include "core/capture.h"

namespace core::attention {

at::Device torchDevice(Device device);

/// What one run goes through: a layer after the other.
using TimedInputs = std::vector<AttentionInput>;

/// Standard normal numbers, the same for each call with a shape.
TimedInputs randomInputs(const AttentionShape& shape, Device device);

/// Those of a run, in another type and on another device where asked for. Shape: B = 1.
TimedInputs inputsOf(const Capture& capture, const std::vector<Layer>& layers, DType type, Device device);

/// The largest |a - b| of all elements, in float64; NaN where either holds one.
double largestDifference(const at::Tensor& a, const at::Tensor& b);
double largestElement(const at::Tensor& a);

}  // namespace core::attention
