#include "tests/bench/nanogpt_eager.h"

#include <cmath>
#include <limits>

namespace bench {

namespace {

// models/shakespeare-char
constexpr std::int64_t kLayers = 6, kHeads = 6, kChannels = 192, kContext = 256, kVocabulary = 65;

torch::Tensor norm(const torch::Tensor& x, const torch::Tensor& weight) {
  return torch::layer_norm(x, {kChannels}, weight, {}, 1e-5);
}

}  // namespace

NanoGptEager::NanoGptEager()
    : m_tokenEmbedding(0.02 * torch::randn({kVocabulary, kChannels})),
      m_positionEmbedding(0.02 * torch::randn({kContext, kChannels})),
      m_finalNorm(torch::ones({kChannels})),
      m_mask(torch::tril(torch::ones({kContext, kContext})).view({1, 1, kContext, kContext})) {
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    m_blocks.push_back({.norm1 = torch::ones({kChannels}),
                        .attention = 0.02 * torch::randn({3 * kChannels, kChannels}),
                        .projection = 0.02 * torch::randn({kChannels, kChannels}),
                        .norm2 = torch::ones({kChannels}),
                        .expand = 0.02 * torch::randn({4 * kChannels, kChannels}),
                        .contract = 0.02 * torch::randn({kChannels, 4 * kChannels})});
  }
}

NanoGptEager::Result NanoGptEager::run(const torch::Tensor& tokens) const {
  const torch::InferenceMode inference;
  const std::int64_t T = tokens.size(1);
  Result result;
  const auto positions = torch::arange(T, torch::kInt64);
  auto x = torch::embedding(m_tokenEmbedding, tokens) + torch::embedding(m_positionEmbedding, positions);  // (1, T, C)
  for (const Block& block : m_blocks) {
    const auto qkv = torch::linear(norm(x, block.norm1), block.attention).split(kChannels, 2);
    const auto heads = [&](const torch::Tensor& packed) {
      return packed.view({1, T, kHeads, kChannels / kHeads}).transpose(1, 2);  // (1, H, T, D)
    };
    const auto q = heads(qkv[0]), k = heads(qkv[1]), v = heads(qkv[2]);
    auto att = q.matmul(k.transpose(-2, -1)) * (1.0 / std::sqrt(static_cast<double>(k.size(-1))));
    const auto hidden = m_mask.slice(2, 0, T).slice(3, 0, T) == 0;
    att = att.masked_fill(hidden, -std::numeric_limits<float>::infinity());
    att = torch::softmax(att, -1);                                                      // (1, H, T, T)
    const auto y = att.matmul(v).transpose(1, 2).contiguous().view({1, T, kChannels});  // (1, T, C)
    result.attention.push_back(att);
    x = x + torch::linear(y, block.projection);
    x = x + torch::linear(torch::gelu(torch::linear(norm(x, block.norm2), block.expand)), block.contract);
  }
  result.logits = torch::linear(norm(x, m_finalNorm).slice(1, T - 1, T), m_tokenEmbedding);
  return result;
}

}  // namespace bench
