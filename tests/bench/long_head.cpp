#include "tests/bench/long_head.h"

#include <ATen/ATen.h>

#include "core/attention/capture_data.h"

namespace bench {

core::AttentionMap longHead() {
  at::manual_seed(1);
  core::ModelInfo info;
  info.config.layers = info.config.heads = info.config.kvHeads = 1;
  info.config.headSize = static_cast<int>(kHeadSize);
  core::RunFacts facts;
  facts.settings.windows = {core::Window{}};
  const auto vectors = [] { return at::randn({1, kTokens, kHeadSize}); };
  const core::model::LayerRecord layer{
      vectors(), vectors(), vectors(),
      // As large as such scores make it: the sum of n of their exponentials is about n times the root of e.
      at::arange(1, kTokens + 1, at::kFloat).log().add(0.5).unsqueeze(0)};
  auto data = std::make_unique<const core::Capture::Data>(core::Capture::Data{
      info, facts, std::vector<core::TokenText>(kTokens), nullptr, {layer}, at::zeros({kTokens, 1})});
  return {std::make_shared<const core::Capture>(std::move(data)), {core::Layer(0), core::Head(0)}};
}

}  // namespace bench
