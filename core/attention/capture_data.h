// What is behind core::Capture: the tensors of a run, or the weights of a file.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/saved_weights.h"
#include "core/capture.h"
#include "core/model/model.h"

namespace core {

struct Capture::Data {
  ModelInfo info;
  RunFacts facts;
  std::vector<TokenText> tokens;                        // (T)
  std::shared_ptr<const model::Model> model;            // for logits on demand
  std::vector<model::LayerRecord> layers;               // (L)
  at::Tensor hidden;                                    // (T, C)
  std::shared_ptr<const SavedWeights> saved = nullptr;  // not null: the three before are empty

  AttentionMask mask(Layer layer) const {
    return AttentionMask(static_cast<std::int64_t>(tokens.size()),
                         facts.settings.windows[static_cast<std::size_t>(layer.value)], facts.settings.mask);
  }
  const model::LayerRecord& layer(Layer layer) const { return layers[static_cast<std::size_t>(layer.value)]; }
};

}  // namespace core
