#include "core/path_check.h"

#include <algorithm>
#include <string>

#include "core/attention/door.h"
#include "core/attention/timed_inputs.h"

namespace core {

namespace {

Agreement agreement(const at::Tensor& manual, const at::Tensor& flash, DType type) {
  const double largest = attention::largestElement(manual);
  return {.difference = attention::largestDifference(manual, flash),
          .largest = largest,
          .tolerance = pathTolerance(type) * std::max(1.0, largest)};
}

LayerCheck checkLayer(const Capture& capture, Layer layer, DType type, Device device) {
  const attention::AttentionInput input = attention::inputsOf(capture, {layer}, type, device).front();
  const attention::AttentionOutput manual = attention::runKernel(Kernel::Manual, input);
  const attention::AttentionOutput flash = attention::runKernel(Kernel::Flash, input);
  LayerCheck check{.layer = layer, .output = agreement(manual.output, flash.output, type)};
  if (flash.lse.defined()) check.lse = agreement(manual.lse, flash.lse, type);
  return check;
}

}  // namespace

bool PathCheck::passed() const {
  return std::all_of(layers.begin(), layers.end(), [](const LayerCheck& layer) { return layer.passed(); });
}

double pathTolerance(DType type) { return type == DType::Float32 ? 1e-5 : 2e-2; }

PathCheck checkPaths(const Capture& capture, DType type, Device device, const Progress& progress) {
  PathCheck check{.device = device, .type = type};
  const int layers = capture.model().config.layers;
  for (int layer = 0; layer < layers; ++layer) {
    progress.report(layer / static_cast<double>(layers),
                    "layer " + std::to_string(layer + 1) + " of " + std::to_string(layers) + ", manual against flash");
    check.layers.push_back(attention::atTheDoor("Comparing manual and flash",
                                                [&] { return checkLayer(capture, Layer(layer), type, device); }));
  }
  return check;
}

}  // namespace core
