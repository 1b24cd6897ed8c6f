#include "core/model/gpt2_model.h"

#include <cmath>

#include "core/attention/manual_attention.h"
#include "core/model/weights.h"

namespace core::model {

Gpt2Model::Gpt2Model(const ModelConfig& config, std::map<std::string, checkpoint::Tensor>& tensors) : m_config(config) {
  Weights weights(tensors);
  const auto affine = [&](const std::string& name) {
    return Affine{weights.take(name + ".weight"), weights.takeOptional(name + ".bias")};
  };
  m_tokenEmbedding = weights.take("wte.weight");
  m_positionEmbedding = weights.take("wpe.weight");
  for (int n = 0; n < config.layers; ++n) {
    const std::string block = "h." + std::to_string(n);
    m_blocks.push_back({affine(block + ".ln_1"), affine(block + ".attn.c_attn"), affine(block + ".attn.c_proj"),
                        affine(block + ".ln_2"), affine(block + ".mlp.c_fc"), affine(block + ".mlp.c_proj")});
  }
  m_lastNorm = affine("ln_f");
  m_head = weights.take("lm_head.weight");
}

at::Tensor Gpt2Model::normalize(const at::Tensor& x, const Affine& norm) const {
  return at::layer_norm(x, {m_config.embedding}, norm.weight, norm.bias, m_config.normEpsilon);
}

ForwardResult Gpt2Model::forward(const std::vector<TokenId>& tokens, const ForwardOptions& options,
                                 const Progress& progress) const {
  const auto T = static_cast<std::int64_t>(tokens.size());
  const std::int64_t C = m_config.embedding;
  const std::int64_t H = m_config.heads;
  const std::int64_t D = m_config.headSize;
  const auto split = [&](const at::Tensor& packed) {             // (T, C)
    return packed.view({T, H, D}).transpose(0, 1).contiguous();  // (H, T, D)
  };

  const at::Tensor ids = at::tensor(at::ArrayRef<std::int64_t>(tokens), at::kLong);          // (T)
  at::Tensor x = at::embedding(m_tokenEmbedding, ids) + m_positionEmbedding.slice(0, 0, T);  // (T, C)

  ForwardResult result;
  for (std::size_t n = 0; n < m_blocks.size(); ++n) {
    const Block& block = m_blocks[n];
    const attention::BlockReport report(progress, n, m_blocks.size());

    const at::Tensor packed = at::linear(normalize(x, block.attentionNorm), block.attentionIn.weight,
                                         block.attentionIn.bias);  // (T, 3 C): q, k, v side by side
    const auto parts = packed.split(C, 1);
    LayerRecord record{split(parts[0]), split(parts[1]), split(parts[2]), {}};
    const attention::ManualResult attended =
        attention::manualAttention(record.q, record.k, record.v, mask(Layer(static_cast<int>(n)), T), report);
    record.lse = attended.lse;
    result.path = attended.path;

    const at::Tensor y = attended.output.transpose(0, 1).reshape({T, C});  // heads side by side
    x = x + at::linear(y, block.attentionOut.weight, block.attentionOut.bias);
    const at::Tensor inner = at::gelu(at::linear(normalize(x, block.mlpNorm), block.mlpIn.weight, block.mlpIn.bias),
                                      options.gelu == Gelu::Erf ? "none" : "tanh");  // (T, 4 C)
    x = x + at::linear(inner, block.mlpOut.weight, block.mlpOut.bias);

    if (!at::isfinite(x).all().item<bool>()) {
      result.warnings.push_back("layer " + std::to_string(n) + ": the hidden state holds NaN or infinite values");
    }
    result.layers.push_back(std::move(record));
  }
  result.hidden = normalize(x, m_lastNorm);
  progress.report(1, "done");
  return result;
}

at::Tensor Gpt2Model::logits(const at::Tensor& hidden) const { return at::linear(hidden, m_head); }

}  // namespace core::model
