#include "core/attention/timed_inputs.h"

#include <ATen/CPUGeneratorImpl.h>

#include "core/attention/capture_data.h"
#include "core/attention/layer_attention.h"

namespace core::attention {

namespace {

constexpr std::uint64_t kSeed = 1;

}  // namespace

at::Device torchDevice(Device device) {
  return device == Device::Cuda ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
}

TimedInputs randomInputs(const AttentionShape& shape, Device device) {
  const at::Generator generator = at::detail::createCPUGenerator(kSeed);
  const auto random = [&](std::int64_t heads) {
    return at::randn({shape.B, heads, shape.T, shape.D}, generator).to(torchDevice(device), scalarType(shape.type));
  };
  const at::Tensor q = random(shape.H), k = random(shape.Hkv), v = random(shape.Hkv);
  return {{q, k, v, AttentionMask(shape.T, shape.window, shape.mask)}};
}

TimedInputs inputsOf(const Capture& capture, const std::vector<Layer>& layers, DType type, Device device) {
  TimedInputs inputs;
  for (const Layer layer : layers) {
    const model::LayerRecord& record = capture.data().layer(layer);
    const auto converted = [&](const at::Tensor& perHead) {
      return perHead.unsqueeze(0).to(torchDevice(device), scalarType(type));  // (1, heads, T, D)
    };
    inputs.push_back({converted(record.q), converted(record.k), converted(record.v), capture.mask(layer)});
  }
  return inputs;
}

double largestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kCPU, at::kDouble) - b.to(at::kCPU, at::kDouble)).abs_().max().item<double>();
}

double largestElement(const at::Tensor& a) { return a.abs().max().to(at::kDouble).item<double>(); }

}  // namespace core::attention
