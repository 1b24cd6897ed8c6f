// The tensors behind core::Capture.
#pragma once

#include <memory>
#include <vector>

#include "core/capture.h"
#include "core/model/model.h"

namespace core {

struct Capture::Data {
  ModelInfo info;
  RunFacts facts;
  std::vector<TokenText> tokens;              // (T)
  std::shared_ptr<const model::Model> model;  // for logits on demand
  std::vector<model::LayerRecord> layers;     // (L)
  at::Tensor hidden;                          // (T, C)

  AttentionMask mask(Layer layer) const {
    return AttentionMask(static_cast<std::int64_t>(tokens.size()),
                         facts.settings.windows[static_cast<std::size_t>(layer.value)], facts.settings.mask);
  }
  const model::LayerRecord& layer(Layer layer) const { return layers[static_cast<std::size_t>(layer.value)]; }
};

}  // namespace core
