#include "tests/bench/long_head.h"

#include <ATen/ATen.h>

#include "core/attention/capture_data.h"

namespace bench {

core::AttentionMap longHead(std::int64_t tokens) {
  at::manual_seed(1);
  core::ModelInfo info;
  info.config.layers = info.config.heads = info.config.kvHeads = 1;
  info.config.headSize = static_cast<int>(kHeadSize);
  core::RunFacts facts;
  facts.settings.windows = {core::Window{}};
  const auto vectors = [tokens] { return at::randn({1, tokens, kHeadSize}); };
  const core::model::LayerRecord layer{
      vectors(), vectors(), vectors(),
      // As large as such scores make it: the sum of n of their exponentials is about n times the root of e.
      at::arange(1, tokens + 1, at::kFloat).log().add(0.5).unsqueeze(0)};
  auto data = std::make_unique<const core::Capture::Data>(
      core::Capture::Data{info,
                          facts,
                          std::vector<core::TokenText>(static_cast<std::size_t>(tokens)),
                          nullptr,
                          {layer},
                          at::zeros({tokens, 1})});
  return {std::make_shared<const core::Capture>(std::move(data)), {core::Layer(0), core::Head(0)}};
}

}  // namespace bench
